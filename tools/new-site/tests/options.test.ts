import { describe, expect, it } from 'vitest';
import { parseOptions } from '../options.ts';

const clone = {
  languages: ['en', 'de', 'fr', 'ar'].map((code) => ({ code, name: code })),
  removablePages: ['test-message', 'privacy'],
};
const parse = (...args: string[]) => parseOptions(args, clone);

describe('the options of a new site', () => {
  it('are taken from the arguments, with languages and pages in the order of the site', () => {
    expect(
      parse(
        ...['--name', ' Harbor ', '--languages', 'fr, de', '--without', 'privacy,test-message'],
        ...['--color', '#0F766E', '--yes'],
      ),
    ).toEqual({
      name: 'Harbor',
      languages: ['en', 'de', 'fr'],
      without: ['test-message', 'privacy'],
      color: '#0f766e',
      yes: true,
      help: false,
    });
  });

  it('are missing where no argument gives them', () => {
    expect(parse()).toEqual({ yes: false, help: false });
  });

  it.each([
    ['a name without letters', ['--name', ' '], /needs a name/],
    ['a name with markup', ['--name', '<b>'], /begins with a letter/],
    ['a name of 31 characters', ['--name', 'x'.repeat(31)], /30 characters/],
    [
      'a language that the site does not have',
      ['--languages', 'nl'],
      /no texts in nl\. It has en, de, fr, ar/,
    ],
    ['a word that is no language tag', ['--languages', 'd'], /d is not a language tag/],
    ['English alone', ['--languages', 'en'], /one language beside English/],
    ['a page that the site does not have', ['--without', 'index'], /no page index.*test-message, privacy/],
    ['a color in words', ['--color', 'teal'], /Write it as #rrggbb/],
    ['an unknown option', ['--colour', '#0f766e'], /--colour/],
  ])('are rejected for %s', (_what, args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});
