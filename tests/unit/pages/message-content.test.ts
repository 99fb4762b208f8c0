import { describe, expect, it } from 'vitest';
import {
  contentLength,
  judgeContent,
  MAX_CONTENT_LENGTH,
  normalizeContent,
} from '~/pages/test-message/message-content.ts';

describe('what a message may be', () => {
  it('is sent without the white space around it', () => {
    expect(normalizeContent(' \n\t two  words \u00a0\r\n')).toBe('two  words');
  });

  it('has one character for a line break, however the form sent it', () => {
    expect(normalizeContent('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
    expect(contentLength('a\r\nb')).toBe(3);
  });

  it.each([
    ['an emoji', '🎈'],
    ['a character beyond the basic plane', '𠮷'],
    ['a letter', 'x'],
  ])('counts %s as one', (_name, character) => {
    expect(contentLength(character)).toBe(1);
    expect(judgeContent(character.repeat(MAX_CONTENT_LENGTH))).toBeNull();
    expect(judgeContent(character.repeat(MAX_CONTENT_LENGTH + 1))).toBe('too-long');
  });

  it('does not count white space that is not sent', () => {
    expect(judgeContent(`   ${'x'.repeat(MAX_CONTENT_LENGTH)}\r\n   `)).toBeNull();
  });

  it.each(['', '   ', '\r\n\r\n', '\u3000'])('is not empty: %j', (text) => {
    expect(judgeContent(text)).toBe('empty');
  });
});
