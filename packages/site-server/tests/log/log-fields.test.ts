import { describe, expect, it } from 'vitest';
import { hostileFields, hostileText } from '../../../../tests/support/fuzzing/hostile-log-fields.ts';
import { createSeededRandom } from '../../../../tests/support/fuzzing/seeded-random.ts';
import { createLog } from '../../src/log/log.ts';
import { MAX_LINE_BYTES } from '../../src/log/log-fields.ts';

describe('a log line', () => {
  let line = '';
  const log = createLog('info', {
    write(written) {
      line = written;
    },
  });

  const fieldsOf = (fields: Record<string, unknown>, message = 'failed') => {
    log.error(fields, message);
    return JSON.parse(line);
  };

  it('has of an error the name, code, message and cause, without words that may be tokens', () => {
    const token = 'eyJhbGciOiJSUzI1NiJ9c2VjcmV0';
    const cause = new TypeError(`unexpected ${token} in JSON`);
    const err = Object.assign(new Error(`bad ${token}`, { cause }), { code: 'EBAD', request: { token } });
    expect(fieldsOf({ err }).err).toMatchObject({
      name: 'Error',
      code: 'EBAD',
      message: 'bad […]',
      cause: 'TypeError: unexpected […] in JSON',
    });
    expect(line).not.toContain(token);
  });

  it('has of every text the first 500 characters, and of a stack 4,000', () => {
    const text = 'word '.repeat(10_000);
    const err = Object.assign(new Error(text, { cause: new TypeError(text) }), { name: text, code: text });
    err.stack = text;
    const fields = fieldsOf({ path: text, fields: [text], nested: { text }, err }, text);
    expect([fields.path, fields.msg, fields.fields[0], fields.nested.text]).toEqual(
      Array(4).fill(`${text.slice(0, 500)}…`),
    );
    expect(fields.err.message).toBe(`${text.slice(0, 500)}…`);
    expect(fields.err.cause).toBe(`TypeError: ${text.slice(0, 500)}…`);
    expect(fields.err.stack).toBe(`${text.slice(0, 4000)}…`);
    expect([fields.err.name, fields.err.code]).toEqual(Array(2).fill(`${text.slice(0, 100)}…`));
  });

  it('cuts a text that is alone in its line, and keeps one of exactly 500 characters', () => {
    const text = 'word '.repeat(100);
    expect(fieldsOf({ path: `${text}.` }).path).toBe(`${text}…`);
    const err = new Error(text);
    for (const path of [fieldsOf({ path: text }).path, fieldsOf({ path: text, err }).path])
      expect(path).toBe(text);
    expect(fieldsOf({ err }).err.message).toBe(text);
    expect(fieldsOf({ err: new Error('a'.repeat(10_000)) }).err.message).toBe('…');
  });

  it('has fields of 7,000 characters in all: each has its name, its text and 24 more', () => {
    const texts = Object.fromEntries(Array.from('abcdefghijklmnopqrst', (name) => [name, 'x'.repeat(500)]));
    const { level: _level, time: _time, msg: _msg, ...kept } = fieldsOf(texts);
    const lengths = Object.values(kept).map((text) => String(text).length);
    expect(lengths).toEqual([...Array(13).fill(500), 7000 - 13 * 525 - 25]);

    const named = (count: number, last: unknown) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          String(index).padStart(176, 'n'),
          index < count - 1 || last,
        ]),
      );
    const membersOf = (fields: object) => Object.keys(fieldsOf({ ...fields })).length - 3;
    for (const last of [true, 1n]) {
      expect(membersOf(named(35, last))).toBe(35);
      expect(membersOf(named(36, last))).toBe(35);
    }
  });

  it('has of a list or an object the first 50 members, and three levels', () => {
    const members = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, index]));
    const fields = fieldsOf({ members, list: Object.values(members) });
    expect(Object.keys(fields.members)).toHaveLength(50);
    expect(fields.list).toEqual(Object.values(members).slice(0, 50));
    expect(fieldsOf({ a: { b: { c: { d: 1 } } }, list: [[[1]]] })).toMatchObject({
      a: { b: { c: '[…]' } },
      list: [['[…]']],
    });
  });

  it('is written without what cannot be read', () => {
    const unreadable = () => {
      throw new Error('unreadable');
    };
    const nested = new Proxy({}, { ownKeys: unreadable });
    const err = Object.defineProperty(new Error('failed'), 'code', { get: unreadable });
    const fields = Object.defineProperty({ nested, err }, 'path', { get: unreadable, enumerable: true });
    expect(fieldsOf(fields)).toMatchObject({ path: '[…]', nested: {}, err: { message: 'failed' } });
    expect(fieldsOf({ err }).err.code).toBeUndefined();
    const onlyPath = Object.defineProperty({}, 'path', { get: unreadable, enumerable: true });
    expect(fieldsOf(onlyPath).path).toBe('[…]');
  });

  it('has no part of a token that is cut', () => {
    const secret = 'abcdefghijkl3456';
    for (let length = 450; length <= 500; length += 1) {
      const message = `${'.'.repeat(length)}${secret.repeat(3)}`;
      const text = JSON.stringify(fieldsOf({ err: new Error(message) }).err.message);
      expect(text).not.toContain('abc');
    }
  });

  it('has no token of a stack, wherever the stack quotes it', () => {
    const err = new Error('failed');
    err.stack =
      'Error: failed\n    at parse (eyJhbGciOiJSUzI1NiJ9c2VjcmV0)\n    at run (build/request-context-DR0cN61L.js:1:2)\n    at load (build/request-context-DR0cN61L.mjs:1:2)';
    expect(fieldsOf({ err }).err.stack).toBe(
      'Error: failed\n    at parse ([…])\n    at run (build/request-context-DR0cN61L.js:1:2)\n    at load (build/request-context-DR0cN61L.mjs:1:2)',
    );
  });

  it('keeps long words without a digit and short words with one', () => {
    const message = 'ERR_INVALID_ARGUMENT_COMBINATION at 2026-11-22, host-1';
    expect(fieldsOf({ err: new Error(message) }).err.message).toBe(message);
  });

  it('names no value that is neither an error nor a text, a number or a list of them', () => {
    const plain = { no: null, yes: true, count: 1, none: undefined };
    const { none, ...fields } = fieldsOf({ date: new Date(0), map: new Map([['a', 1]]), big: 1n, ...plain });
    expect(fields).toMatchObject({ date: '[…]', map: '[…]', big: '[…]', no: null, yes: true, count: 1 });
    expect(none).toBeUndefined();
    expect(fieldsOf({ err: 'text' }).err).toEqual({ name: 'NonError' });
  });

  it('describes an error in any field', () => {
    const err = Object.assign(new Error('inner'), { request: 'private' });
    const { reason, all } = fieldsOf({ reason: err, all: [err] });
    expect(reason).toMatchObject({ name: 'Error', message: 'inner' });
    expect(all).toEqual([reason]);
    expect(JSON.stringify(reason)).not.toContain('private');
  });

  it.each(['UpstreamError', 'SignInError'])('has no stack of a %s', (name) => {
    const err = Object.assign(new Error('no response'), { name });
    expect(fieldsOf({ err }).err).toEqual({ name, message: 'no response' });
  });

  it('is one line of JSON below its maximum length, whatever is logged', () => {
    for (let index = 0; index < 300; index += 1) {
      const random = createSeededRandom(1, index);
      log.error(hostileFields(random), hostileText(random));
      expect(Buffer.byteLength(line), `line ${index}`).toBeLessThan(MAX_LINE_BYTES);
      expect(line.indexOf('\n'), `line ${index}`).toBe(line.length - 1);
      expect(JSON.parse(line)).toMatchObject({ level: 'error' });
    }
  });
});
