import { describe, expect, it } from 'vitest';
import { type PlannedFile, planLocale } from '../../fonts/font-plan.ts';
import type { LocaleTexts } from '../../fonts/site-texts.ts';
import { typefaceOf } from '../../fonts/typefaces.ts';

/** The texts of a language. Each namespace has its texts by key. */
function localeTexts(
  iso: string,
  namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>,
): LocaleTexts {
  const placed = Object.entries(namespaces).map(
    ([place, texts]) => [place, Object.entries(texts).map(([key, text]) => ({ text, place, key }))] as const,
  );
  return { code: iso.slice(0, 2), iso, namespaces: new Map(placed), elsewhere: new Map() };
}

/** The files that have characters, each with its characters. */
function contents(files: readonly PlannedFile[]): Record<string, string> {
  const withCharacters = files.filter(({ characters }) => characters.size > 0);
  return Object.fromEntries(
    withCharacters.map(({ name, characters }) => [name, [...characters.keys()].sort().join('')]),
  );
}

const plan = (texts: LocaleTexts) =>
  planLocale(texts, typefaceOf(texts.iso), (character) => !/[\sA-Za-z<>/]/.test(character));

describe('a typeface with fixed weights', () => {
  it('divides text and headings separately by page', () => {
    const files = plan(
      localeTexts('zh-CN', {
        common: { label: '一' },
        home: { title: '二三', text: '四六' },
        privacy: { title: '二五', text: '四三' },
      }),
    );
    expect(contents(files)).toEqual({
      'zh-text': '一三二四',
      'zh-text-home': '六',
      'zh-text-privacy': '五',
      'zh-bold': '二',
      'zh-bold-home': '三',
      'zh-bold-privacy': '五',
    });
  });

  it('has the bold characters of texts with <strong>', () => {
    const files = plan(localeTexts('zh-CN', { common: {}, home: { text: '一<strong>二</strong>三' } }));
    expect(contents(files)).toEqual({ 'zh-text-home': '一三二', 'zh-bold-home': '二' });
  });
});

describe('a typeface with variable weight', () => {
  const texts = (iso: string) => localeTexts(iso, { common: { a: 'аб' }, home: { b: 'в <em>гд</em>' } });

  it('has one file for all pages, and one for the italic letters of texts with <em>', () => {
    const files = plan(texts('ru-RU'));
    expect(contents(files)).toEqual({ 'ru-text': 'абвгд', 'ru-italic': 'гд' });
    expect(files.map(({ style }) => style)).toEqual(['normal', 'italic']);
  });

  it('has no italic file for a script without italic letters', () => {
    expect(contents(plan(texts('ar-SA')))).toEqual({ 'ar-text': 'абвгд' });
  });

  it('has no italic file for texts without <em>', () => {
    const files = plan(localeTexts('ru-RU', { common: { a: 'аб' } }));
    expect(contents(files)).toEqual({ 'ru-text': 'аб' });
  });
});
