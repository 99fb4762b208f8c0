import { readFileSync } from 'node:fs';
import { type TransformFailure, transformSync } from 'esbuild';

/** The value in a JSON file. Throws an error that names the place in a file that is not JSON. */
export function parseFile(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${path} is not valid JSON: ${reason}${placeOfMistake(path, text)}`, { cause });
  }
}

/** ` ({path}:{line}:{column})`. Not every version of Node says where the mistake is. */
function placeOfMistake(path: string, text: string): string {
  const { errors } = parseWithPlaces(text);
  const location = errors[0]?.location;
  return location ? ` (${path}:${location.line}:${location.column + 1})` : '';
}

function parseWithPlaces(text: string): Pick<TransformFailure, 'errors'> {
  try {
    transformSync(text, { loader: 'json', logLevel: 'silent' });
    return { errors: [] };
  } catch (error) {
    // esbuild throws nothing else.
    return error as TransformFailure;
  }
}
