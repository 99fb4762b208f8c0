import { canvasColors } from '../brand/colors.ts';
import { defaultLocale } from '../i18n/locales.ts';
import { siteName } from '../site-name.ts';

/**
 * The web app manifest (https://www.w3.org/TR/appmanifest/). Its start URL is `/`, which detects the visitor's language,
 * so that one manifest serves all languages.
 */
const manifest = {
  name: siteName,
  short_name: siteName,
  id: '/',
  start_url: '/',
  scope: '/',
  display: 'browser',
  lang: defaultLocale.iso,
  dir: defaultLocale.dir,
  background_color: canvasColors.light,
  theme_color: canvasColors.light,
  icons: [
    { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
};

/** Returns the manifest, which is the same for every visitor. */
export function loader(): Response {
  return new Response(JSON.stringify(manifest), {
    headers: {
      'content-type': 'application/manifest+json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    },
  });
}
