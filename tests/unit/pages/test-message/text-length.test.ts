import { describe, expect, it } from 'vitest';
import { textCut } from '~/pages/test-message/message/text-length.ts';

describe('textCut', () => {
  it.each([
    ['a short text', 'Hello', 'never'],
    ['500 letters', 'abcd '.repeat(100), 'never'],
    ['twelve lines', 'x\n'.repeat(11), 'never'],
    ['thirteen lines', 'x\n'.repeat(12), 'always'],
    ['500 empty lines', '\n'.repeat(499), 'always'],
    ['500 Chinese characters', '字'.repeat(500), 'narrow'],
    ['250 Chinese characters', '字'.repeat(250), 'never'],
    ['500 emoji', '🎈'.repeat(500), 'narrow'],
    ['six lines that wrap on a phone', `${'a'.repeat(83)}\n`.repeat(6), 'narrow'],
  ] as const)('%s', (_name, text, cut) => {
    expect(textCut(text)).toBe(cut);
  });
});
