/** Reads the format that Remix sends to its client: a flat list of values that refer to each other by index. */

/** Types whose values are errors. The client calls the constructor that such a value names. */
const ERROR_TYPES = ['E', 'SanitizedError'];

/** Returns the stream in a document, from which Remix's client reads the hydration data. */
export function streamOfDocument(html: string): string {
  const [, text = '""'] = /__remixContext\.stream = new Blob\(\[("(?:[^"\\]|\\.)*")\]\)/.exec(html) ?? [];
  return String(JSON.parse(text));
}

/** Parses the lines of a stream, the lines of deferred values included, to one list of values. */
export function parseValues(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line): unknown[] => {
      const parsed: unknown = JSON.parse(line.replace(/^[PE]\d+:/, ''));
      return Array.isArray(parsed) ? parsed : [parsed];
    });
}

/** Returns the names of constructors in a stream, other than `Error`. */
export function constructorsOf(stream: string): unknown[] {
  const values = parseValues(stream);
  const errors = values.filter(isError);
  const names = errors.map(([type, message, name]) =>
    // turbo-stream writes the name itself, and Remix its index as the first argument.
    type === 'E' ? name : values[Number(message)],
  );
  return names.filter((name) => name !== undefined && name !== 'Error');
}

function isError(value: unknown): value is [string, unknown, unknown?] {
  return Array.isArray(value) && ERROR_TYPES.includes(value[0]);
}

/** Returns the target of the redirect in a stream, or null. Its objects refer to keys and values by index. */
export function redirectOf(stream: string): string | null {
  const values = parseValues(stream);
  const key = `_${values.indexOf('redirect')}`;
  const targets = values.flatMap((value) => {
    if (typeof value !== 'object' || value === null) return [];
    const place: unknown = Reflect.get(value, key);
    return typeof place === 'number' ? [values[place]] : [];
  });
  return targets.length === 1 ? String(targets[0]) : null;
}
