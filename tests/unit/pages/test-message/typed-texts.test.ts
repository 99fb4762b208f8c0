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

it('rejects other keys and arguments', () => {
  // @ts-expect-error: no English text has the key
  expect(t('skipLinks')).toBe('skipLinks');
  // @ts-expect-error: a group of texts is not a text
  t('nav');
  const key: string = 'skipLink';
  // @ts-expect-error: a string may be any key
  t(key);
  // @ts-expect-error: the key is in another namespace
  expect(t('list.author', { code: 'A1' })).toBe('list.author');
  // @ts-expect-error: so is this one
  t('list.author', { ns: 'home', code: 'A1' });
  // @ts-expect-error: the namespace does not exist
  expect(instance.getFixedT('en', 'homepage')('title')).toBe('title');
  // @ts-expect-error: nor does it as an option
  t('title', { ns: 'homepage' });
  // @ts-expect-error: a namespace before the key
  t('common:skipLink');
  // @ts-expect-error: also not its own
  tMessages('test-message:title');
  // @ts-expect-error: an argument is missing
  expect(tMessages('list.author')).toBe('Author {{code}}');
  // @ts-expect-error: the arguments are empty
  tMessages('list.author', {});
  // @ts-expect-error: an argument is missing beside the namespace
  t('list.author', { ns: 'test-message' });
  // @ts-expect-error: the text does not have the second argument
  tMessages('list.author', { code: 'A1', name: 'Ada' });
  // @ts-expect-error: the text has no arguments
  t('skipLink', { name: 'Ada' });
  // @ts-expect-error: plural forms need a count
  expect(tMessages('compose.limit')).toBe('compose.limit');
  // @ts-expect-error: i18next chooses the form
  tMessages('compose.limit_one', { count: 1 });
});
