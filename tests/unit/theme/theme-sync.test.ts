import { afterEach, expect, it, vi } from 'vitest';
import { themeFromCookie } from '~/theme/theme-sync.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

// threat-model: T-009
it.each([
  ['http:', 'theme=dark', 'dark'],
  ['http:', 'a=b; theme=light; c=d', 'light'],
  ['http:', 'other-theme=dark', null],
  ['http:', '__Host-theme=dark', null],
  ['https:', '__Host-theme=dark', 'dark'],
  ['https:', 'theme=light; __Host-theme=dark', 'dark'],
  ['https:', 'theme=light', null],
  ['https:', '__Host-theme=pink', null],
])('on %s the theme of the cookies “%s” is %s', (protocol, cookie, theme) => {
  vi.stubGlobal('location', { protocol });
  vi.stubGlobal('document', { cookie });
  expect(themeFromCookie()).toBe(theme);
});
