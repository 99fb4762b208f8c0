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
