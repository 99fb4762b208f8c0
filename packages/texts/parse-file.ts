import { readFileSync } from 'node:fs';

/** The value in a JSON file. Throws an error that names a file that is not JSON. */
export function parseFile(place: string): unknown {
  try {
    return JSON.parse(readFileSync(place, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${place} is not valid JSON: ${reason}`, { cause });
  }
}
