import { describe, expect, it } from 'vitest';
import {
  changeList,
  type LiveChange,
  type LiveList,
  mergeLists,
  parseChange,
  unchanged,
} from '../../../../app/pages/test-message/live/live-list.ts';

const message = (id: string, content = `text ${id}`) => ({
  ...{ id, content, createdAt: '2026-01-01T00:00:00.000Z', author: 'K7C4' },
  ...{ mine: false, canDelete: false },
});
const created = (id: string, content?: string): LiveChange => ({
  type: 'created',
  message: message(id, content),
});
const changed = (...changes: LiveChange[]): LiveList => changes.reduce(changeList, unchanged);
const shown = (listed: string[], list: LiveList, sending: string | null = null) =>
  mergeLists(
    listed.map((id) => message(id)),
    list,
    sending,
  ).map(({ id }) => id);

describe('a list with changes', () => {
  it('has each new message once, at its place', () => {
    const list = changed(created('5'), created('3'), created('5'));
    expect(shown(['4', '2'], list)).toEqual(['5', '4', '3', '2']);
    expect(shown(['5', '4', '3', '2'], list)).toEqual(['5', '4', '3', '2']);
  });

  it('has no deleted message, also if a list that was loaded before still has it', () => {
    const list = changed(created('3'), { type: 'deleted', id: '3' }, { type: 'deleted', id: '2' });
    expect(shown(['2', '1'], list)).toEqual(['1']);
    expect(shown(['3', '2', '1'], changeList(list, { type: 'loaded', ids: ['3', '2', '1'] }))).toEqual(['1']);
  });

  it('keeps back the message that is being sent', () => {
    const list = changed(created('3', 'mine'), created('2', 'other'));
    expect(shown(['1'], list, 'mine')).toEqual(['2', '1']);
    expect(shown(['1'], list)).toEqual(['3', '2', '1']);
  });

  it('follows a list that was loaded after a gap, and keeps what came after the gap', () => {
    const list = changed(created('4'), { type: 'gap' }, created('5'));
    expect(shown(['1'], list)).toEqual(['5', '4', '1']);
    const loaded = changeList(list, { type: 'loaded', ids: ['2', '1'] });
    expect(shown(['2', '1'], loaded), '4 was deleted').toEqual(['5', '2', '1']);
  });
});

// threat-model: T-149
it.each([
  ['created', JSON.stringify(message('7')), { type: 'created', message: message('7') }],
  ['deleted', '{"id":"7"}', { type: 'deleted', id: '7' }],
  ['gap', '{}', { type: 'gap' }],
  ['created', '{"id":"7"}', { type: 'gap' }],
  ['created', 'null', { type: 'gap' }],
  ['deleted', '{"id":7}', { type: 'gap' }],
  ['deleted', '{', { type: 'gap' }],
  ['later', '{"id":"7"}', { type: 'gap' }],
])('the event %s with the data %s is read', (type, data, expected) => {
  expect(parseChange({ type, data })).toEqual(expected);
});
