/**
 * `npm run types` fails when a line below `@ts-expect-error` compiles. The tests show what a visitor would read if it did.
 */
import { createInstance } from 'i18next';
import { expect, it } from 'vitest';
import { i18nextOptions } from '~/i18n/i18next-options.ts';

const instance = createInstance();
void instance.init(
  i18nextOptions('en', {
    en: {
      common: { skipLink: 'Skip' },
      home: { title: 'Home' },
      'test-message': {
        title: 'Messages',
        list: { author: 'Author {{code}}' },
        compose: { limit_one: '{{count}} character', limit_other: '{{count}} characters' },
      },
    },
  }),
);
const { t } = instance;
const tMessages = instance.getFixedT('en', 'test-message');

it('accepts the keys of the English texts with their arguments', () => {
  expect(t('skipLink')).toBe('Skip');
  expect(t('title', { ns: 'home' })).toBe('Home');
  expect(tMessages('list.author', { code: 'A1' })).toBe('Author A1');
  expect(tMessages('compose.limit', { count: 2 })).toBe('2 characters');
});

it('rejects a key that no English text has', () => {
  // @ts-expect-error
  expect(t('skipLinks')).toBe('skipLinks');
  // @ts-expect-error: a group of texts is not a text
  t('nav');
  const key: string = 'skipLink';
  // @ts-expect-error: a string may be any key
  t(key);
});

it('rejects a key of another namespace', () => {
  // @ts-expect-error
  expect(t('list.author', { code: 'A1' })).toBe('list.author');
  // @ts-expect-error
  t('list.author', { ns: 'home', code: 'A1' });
});

it('rejects a namespace that does not exist', () => {
  // @ts-expect-error
  expect(instance.getFixedT('en', 'homepage')('title')).toBe('title');
  // @ts-expect-error
  t('title', { ns: 'homepage' });
});

it('rejects a namespace before the key', () => {
  // @ts-expect-error
  t('common:skipLink');
  // @ts-expect-error
  tMessages('test-message:title');
});

it('rejects a missing argument', () => {
  // @ts-expect-error
  expect(tMessages('list.author')).toBe('Author {{code}}');
  // @ts-expect-error
  tMessages('list.author', {});
  // @ts-expect-error
  t('list.author', { ns: 'test-message' });
});

it('rejects an argument that the text does not have', () => {
  // @ts-expect-error
  tMessages('list.author', { code: 'A1', name: 'Ada' });
  // @ts-expect-error
  t('skipLink', { name: 'Ada' });
});

it('rejects a text with plural forms without a count', () => {
  // @ts-expect-error
  expect(tMessages('compose.limit')).toBe('compose.limit');
  // @ts-expect-error: i18next chooses the form
  tMessages('compose.limit_one', { count: 1 });
});
