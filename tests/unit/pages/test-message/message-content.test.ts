import { describe, expect, it } from 'vitest';
import {
  checkContent,
  contentLength,
  MAX_CONTENT_LENGTH,
  normalizeContent,
} from '~/pages/test-message/message/message-content.ts';

describe('the content of a message', () => {
  it('is trimmed', () => {
    expect(normalizeContent(' \n\t two  words \u00a0\r\n')).toBe('two  words');
  });

  it('has one character per line break, whichever line ending the form sent', () => {
    expect(normalizeContent('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
    expect(contentLength('a\r\nb')).toBe(3);
  });

  it.each([
    ['an emoji', '🎈'],
    ['a character beyond the basic plane', '𠮷'],
    ['a letter', 'x'],
  ])('counts %s as one character', (_name, character) => {
    expect(contentLength(character)).toBe(1);
    expect(checkContent(character.repeat(MAX_CONTENT_LENGTH))).toBeNull();
    expect(checkContent(character.repeat(MAX_CONTENT_LENGTH + 1))).toBe('too-long');
  });

  it('does not count white space that is trimmed', () => {
    expect(checkContent(`   ${'x'.repeat(MAX_CONTENT_LENGTH)}\r\n   `)).toBeNull();
  });

  it.each(['', '   ', '\r\n\r\n', '\u3000', '\u200b', 'ㅤ \u2060\ufeff\u00ad', '\u202e\ufe0f'])(
    'is invalid without visible characters: %j',
    (text) => {
      expect(checkContent(text)).toBe('empty');
    },
  );
});
