/**
 * The part of the library `@aws-appsync/utils` that the local cloud has.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-util-reference-js.html
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import { randomText } from '../storage/secrets.ts';
import type { AuthMode, FieldCall } from './api-schema.ts';
import { FieldError } from './appsync-errors.ts';
import { toAttributeValue, toItem } from './attribute-values.ts';
import { toExpression } from './expressions.ts';

/** What the functions need of one call of a resolver. */
type LibraryCall = Pick<FieldCall, 'info' | 'appendError'> & { clock: Clock; mode: AuthMode };

export type ResolverLibrary = ReturnType<typeof createResolverLibrary>;

/** Thrown by `runtime.earlyReturn`. `skipTo` is null unless the resolver says where to continue. */
export class EarlyReturn {
  constructor(
    readonly result: unknown,
    readonly skipTo: 'END' | 'NEXT' | null,
  ) {}
}

/** Returns `util` and `runtime` for one call. `error`, `unauthorized` and `earlyReturn` throw. */
export function createResolverLibrary({ clock, mode, info, appendError }: LibraryCall) {
  const error = (message: string, type: string | null = null, data?: unknown, errorInfo?: unknown) =>
    new FieldError(type, message, data, errorInfo);
  const util = {
    error(...values: Parameters<typeof error>): never {
      throw error(...values);
    },
    appendError: (...values: Parameters<typeof error>) => appendError(error(...values)),
    unauthorized(): never {
      const { fieldName, parentTypeName } = info;
      throw error(`Not Authorized to access ${fieldName} on type ${parentTypeName}`, 'Unauthorized');
    },
    authType: () => (mode === 'iam' ? 'IAM Authorization' : 'User Pool Authorization'),
    // AppSync uses Java's regular expressions, which match code points, as the flag `u` does.
    matches: (pattern: string, value: string) => new RegExp(pattern, 'u').test(value),
    autoId: () => randomUUID(),
    autoUlid: () => createUlid(clock()),
    autoKsuid: () => createKsuid(clock()),
    base64Encode: (value: string) => Buffer.from(value).toString('base64'),
    base64Decode: (value: string) => Buffer.from(value, 'base64').toString(),
    urlEncode: (value: string) => new URLSearchParams({ '': value }).toString().slice(1),
    urlDecode: (value: string) => new URLSearchParams(`=${value.replaceAll('&', '%26')}`).get('') ?? '',
    time: {
      nowISO8601: () => new Date(clock()).toISOString(),
      nowEpochSeconds: () => Math.floor(clock() / 1000),
      nowEpochMilliSeconds: clock,
      parseISO8601ToEpochMilliSeconds: (text: string) => Date.parse(text),
      epochMilliSecondsToSeconds: (time: number) => Math.floor(time / 1000),
      epochMilliSecondsToISO8601: (time: number) => new Date(time).toISOString(),
    },
    dynamodb: {
      toDynamoDB: toAttributeValue,
      toMapValues: toItem,
      toString: ifGiven((value: string) => ({ S: value })),
      toNumber: ifGiven((value: number) => ({ N: value })),
      toBoolean: ifGiven((value: boolean) => ({ BOOL: value })),
      toBinary: ifGiven((value: string) => ({ B: value })),
      toList: ifGiven((value: unknown[]) => ({ L: value.map(toAttributeValue) })),
      toMap: ifGiven((value: object) => ({ M: toItem(value) })),
      toStringSet: ifGiven((values: string[]) => ({ SS: values })),
      toNumberSet: ifGiven((values: number[]) => ({ NS: values })),
      toBinarySet: ifGiven((values: string[]) => ({ BS: values })),
      toNull: () => ({ NULL: null }),
    },
    transform: { toDynamoDBConditionExpression: toExpression, toDynamoDBFilterExpression: toExpression },
    math: {
      roundNum: Math.round,
      minVal: (first: number, second: number) => Math.min(first, second),
      maxVal: (first: number, second: number) => Math.max(first, second),
      randomDouble: () => Math.random(),
    },
    str: { normalize: (value: string, form: string) => value.normalize(form.toUpperCase()) },
  };
  const runtime = {
    earlyReturn(result: unknown = null, options?: { skipTo: 'END' | 'NEXT' }): never {
      throw new EarlyReturn(result, options?.skipTo ?? null);
    },
  };
  return { util, runtime };
}

function ifGiven<Value, Result>(convert: (value: Value) => Result) {
  return (value: Value | null | undefined) => (value === null || value === undefined ? null : convert(value));
}

const CROCKFORD_BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns a ULID: the time in milliseconds and 80 random bits. Ids of one millisecond are in random order.
 * https://github.com/ulid/spec
 */
function createUlid(now: number): string {
  return inBase(CROCKFORD_BASE32, BigInt(now), 10) + randomText(16, CROCKFORD_BASE32);
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The zero of a KSUID's time, in seconds since 1970. */
const KSUID_EPOCH = 1_400_000_000;

/**
 * Returns a KSUID: the time in seconds and 128 random bits.
 * https://github.com/segmentio/ksuid
 */
function createKsuid(now: number): string {
  const time = Buffer.alloc(4);
  time.writeUInt32BE(Math.floor(now / 1000) - KSUID_EPOCH);
  return inBase(BASE62, BigInt(`0x${Buffer.concat([time, randomBytes(16)]).toString('hex')}`), 27);
}

/** Returns a number with these digits, with leading zeros. */
function inBase(digits: string, value: bigint, length: number): string {
  const base = BigInt(digits.length);
  return Array.from({ length }, (_, index) =>
    digits.charAt(Number((value / base ** BigInt(length - 1 - index)) % base)),
  ).join('');
}
