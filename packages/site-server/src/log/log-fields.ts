/** Bounds what a log line contains, whatever a caller passes. A text is cut before anything else looks at it. */

/** In characters (UTF-16 code units). */
const MAX_TEXT_LENGTH = 500;
const MAX_NAME_LENGTH = 100;
const MAX_STACK_LENGTH = 4000;

/** Of all fields of a line together. A number, and all that JSON adds to a field, counts as 24 characters. */
const MAX_FIELDS_LENGTH = 7000;
const MEMBER_LENGTH = 24;
const MAX_MEMBERS = 50;
const MAX_DEPTH = 3;

/**
 * No log line has more bytes. JSON writes a character in at most six, and the message, the level and the time together
 * have less than 1,000 characters.
 */
export const MAX_LINE_BYTES = 48_000;

/** The message of these errors is enough: their stack is not logged. */
const NAMES_WITHOUT_STACK = ['UpstreamError', 'SignInError'];

/** Stands for a removed word, and for a value that cannot be read or has no place in a log line. */
const REMOVED = '[…]';

/**
 * Returns the fields of a line with bounded texts, and with errors reduced to name, message, code, cause and stack. Never
 * throws.
 */
export function boundFields(fields: Record<string, unknown>): Record<string, unknown> {
  return new FieldsCopy().members(fields);
}

/** Returns the text, or its first 500 characters and an ellipsis. */
export function boundText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined;
}

/** Copies the fields of one line until their length is used up. The rest is left out. */
class FieldsCopy {
  private left = MAX_FIELDS_LENGTH;

  members(source: object, depth = 1): Record<string, unknown> {
    const copies: [string, unknown][] = [];
    for (const key of readOr([], () => Object.keys(source).slice(0, MAX_MEMBERS))) {
      this.left -= key.length + MEMBER_LENGTH;
      if (this.left < 0) break;
      copies.push([key, readOr(REMOVED, () => this.value(Reflect.get(source, key), key, depth))]);
    }
    return Object.fromEntries(copies);
  }

  private value(value: unknown, key: string, depth: number): unknown {
    if (value instanceof Error) return this.error(value);
    if (key === 'err') return { name: 'NonError' };
    if (typeof value === 'string') return this.take(boundText(value));
    if (isPlain(value)) return value;
    if (depth === MAX_DEPTH) return REMOVED;
    if (Array.isArray(value)) return Object.values(this.members(value.slice(0, MAX_MEMBERS), depth + 1));
    const isRecord = value instanceof Object && Object.getPrototypeOf(value) === Object.prototype;
    return isRecord ? this.members(value, depth + 1) : REMOVED;
  }

  private error(error: Error): Record<string, unknown> {
    const name = textOf(error, 'name', MAX_NAME_LENGTH);
    const code = textOf(error, 'code', MAX_NAME_LENGTH);
    const cause = readOr(null, () => error.cause);
    const hasStack = !NAMES_WITHOUT_STACK.includes(name);
    return {
      name: this.take(name),
      message: this.take(textOf(error, 'message', MAX_TEXT_LENGTH)),
      code: code === '' ? undefined : this.take(code),
      cause: cause instanceof Error ? this.take(describeCause(cause)) : undefined,
      stack: hasStack ? this.take(textOf(error, 'stack', MAX_STACK_LENGTH)) : undefined,
    };
  }

  /** What there is room for. */
  private take(text: string): string {
    const taken = text.slice(0, Math.max(0, this.left));
    this.left -= taken.length;
    return taken;
  }
}

function describeCause(cause: Error): string {
  return `${textOf(cause, 'name', MAX_NAME_LENGTH)}: ${textOf(cause, 'message', MAX_TEXT_LENGTH)}`;
}

/** Returns a text of an error, cut and then without words that may be tokens; an empty text if it has none. */
function textOf(error: Error, key: string, maxLength: number): string {
  const text = readOr('', () => Reflect.get(error, key));
  return typeof text === 'string' ? withoutTokens(text, maxLength) : '';
}

/**
 * Removes words of 24 characters and more with a digit in them: tokens, keys, codes. A parser's message may quote one. The
 * files of a build, which a stack names with line numbers, have such names too.
 */
function withoutTokens(text: string, maxLength: number): string {
  const kept = text.length > maxLength ? `${text.slice(0, endOfWords(text, maxLength))}…` : text;
  return kept.replace(
    /(?<![\w-])([\w-]{24,})(\.[cm]?[jt]sx?:\d)?/g,
    (found, word: string, isFile?: string) => (isFile === undefined && /\d/.test(word) ? REMOVED : found),
  );
}

/** Where the last whole word before `maxLength` ends. The word there may be the first part of a token. */
function endOfWords(text: string, maxLength: number): number {
  let end = maxLength;
  while (end > 0 && /[\w-]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Returns what `read` returns. Getters and proxies may throw. */
function readOr<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
