import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { packTexts, unpackTexts } from '../../src/session/token-packing.ts';

const segment = (bytes: number) => randomBytes(bytes).toString('base64url');

/** Three segments, like an access or ID token. A refresh token has five. */
const jwt = () => `${segment(60)}.${segment(700)}.${segment(256)}`;
const jwe = () => `${segment(70)}.${segment(256)}.${segment(12)}.${segment(900)}.${segment(16)}`;

describe('packed texts', () => {
  it.each([
    ['no texts', []],
    ['only dots', ['.', '...', '']],
    ['text that is not base64url', ['a+b/c=', 'Grüße, 世界 👋', '{"email":"a.b@example.com"}']],
    ['segments whose spare bits are set', ['AB.AC.AD', 'A', 'AAAAA']],
    ['more segments than a byte can count', ['a.'.repeat(254), 'a.'.repeat(255), '.'.repeat(10_000)]],
    ['tokens and nulls', [jwt(), null, jwe(), '', null]],
  ])('are restored exactly: %s', (_, texts) => {
    expect(unpackTexts(packTexts(texts))).toEqual(texts);
  });

  it('are a quarter shorter than the tokens', () => {
    const tokens = [jwt(), jwt(), jwe()];
    expect(packTexts(tokens).length).toBeLessThan(tokens.join('').length * 0.77);
  });

  it('unpack to null when the bytes are truncated', () => {
    const bytes = packTexts(['a.b', jwt()]);
    const complete = [0, packTexts(['a.b']).length];
    for (let length = 1; length < bytes.length; length++) {
      if (!complete.includes(length)) expect(unpackTexts(bytes.subarray(0, length))).toBeNull();
    }
  });

  it('unpack arbitrary bytes to texts or null', () => {
    for (let round = 0; round < 2000; round++) {
      const texts = unpackTexts(randomBytes(round % 64));
      expect(texts === null || texts.every((text) => text === null || typeof text === 'string')).toBe(true);
    }
  });
});
