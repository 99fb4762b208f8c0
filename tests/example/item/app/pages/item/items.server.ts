type Item = { title: string; description: string; next: string };

const items = new Map<string, Item>([
  ['tea', { title: 'Tea & biscuits', description: 'Every day at four.', next: '50% / ü' }],
  ['50% / ü', { title: 'Half', description: 'An id may have any characters.', next: 'notes.data' }],
  ['notes.data', { title: 'Notes', description: 'An id may end like a file.', next: 'tea' }],
]);

export const itemIds = [...items.keys()];

export function findItem(id: string): Item | null {
  return items.get(id) ?? null;
}
