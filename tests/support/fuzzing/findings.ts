/** Problems that many generated requests have shown. */
import type { RawRequest } from '../http/raw-request.ts';

export type Findings = {
  /** `request` says which one has shown the problem. */
  add(problem: string, request: string): void;
  /** Each kind of problem once, with the number of requests and the first of them. */
  list(): string[];
};

/** Collects problems by kind: those that differ only in sizes are one. */
export function createFindings(): Findings {
  const kinds = new Map<string, { count: number; first: string }>();
  return {
    add(problem, request) {
      const kind = problem.slice(0, 60).replace(/\d{4,}|\d+(?= (?:pages|MB))/g, '0');
      const known = kinds.get(kind);
      if (known) known.count += 1;
      else kinds.set(kind, { count: 1, first: `${problem}\n  ${request}` });
    },
    list: () => [...kinds.values()].map(({ count, first }) => `${count} × ${first}`),
  };
}

/** Returns the beginning of everything that a request consists of. */
export function excerptOf(request: RawRequest): string {
  const size = JSON.stringify(request).length;
  const shorten = (_name: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, 300) : value;
  return `${size} characters: ${JSON.stringify(request, shorten)}`;
}
