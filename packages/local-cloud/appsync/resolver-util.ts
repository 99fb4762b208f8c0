import type { Clock } from '../http/exchange.ts';
import { randomText } from '../storage/secrets.ts';
import { FieldError } from './appsync-errors.ts';
import { type Item, toItem } from './attribute-values.ts';
import type { FieldInfo } from './resolver-context.ts';

/** The functions of AppSync's `util` that the resolvers use. */
export type ResolverUtil = {
  error(message: string, errorType: string): never;
  unauthorized(): never;
  matches(pattern: string, value: string): boolean;
  autoUlid(): string;
  time: { nowISO8601(): string };
  dynamodb: { toMapValues(value: object): Item };
};

/** The functions of AppSync's `runtime` that the resolvers use. */
export type ResolverRuntime = { earlyReturn(value?: unknown): never };

/** Thrown by `runtime.earlyReturn`: the result of a function, without its request. */
export class EarlyReturn {
  constructor(readonly result: unknown) {}
}

/** `runtime` for every function of a pipeline. */
export const resolverRuntime: ResolverRuntime = {
  earlyReturn(value = null) {
    throw new EarlyReturn(value);
  },
};

type Field = Pick<FieldInfo, 'parentTypeName' | 'fieldName'>;

const CROCKFORD_BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * Returns `util` for the resolver of one field. `error` and `unauthorized` throw `FieldError`.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-util-reference-js.html
 */
export function createResolverUtil({ parentTypeName, fieldName }: Field, clock: Clock): ResolverUtil {
  return {
    error(message, errorType) {
      throw new FieldError(errorType, message);
    },
    unauthorized() {
      throw new FieldError('Unauthorized', `Not Authorized to access ${fieldName} on type ${parentTypeName}`);
    },
    // AppSync uses Java's regular expressions, which match code points, as the flag `u` does.
    matches: (pattern, value) => new RegExp(pattern, 'u').test(value),
    autoUlid: () => createUlid(clock()),
    time: { nowISO8601: () => new Date(clock()).toISOString() },
    dynamodb: { toMapValues: toItem },
  };
}

/**
 * Returns a ULID: the time in milliseconds and 80 random bits. Ids of one millisecond are in random order.
 * https://github.com/ulid/spec
 */
function createUlid(now: number): string {
  const time = Array.from({ length: TIME_CHARACTERS }, (_, index) => {
    const place = CROCKFORD_BASE32.length ** (TIME_CHARACTERS - 1 - index);
    return CROCKFORD_BASE32.charAt(Math.floor(now / place) % CROCKFORD_BASE32.length);
  });
  return time.join('') + randomText(RANDOM_CHARACTERS, CROCKFORD_BASE32);
}
