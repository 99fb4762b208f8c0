import './tailwind.css';
import dmSans from '@fontsource-variable/dm-sans/files/dm-sans-latin-wght-normal.woff2?url';
import spaceGrotesk from '@fontsource-variable/space-grotesk/files/space-grotesk-latin-wght-normal.woff2?url';
import type { LinksFunction, LoaderFunctionArgs } from '@remix-run/node';
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  type ShouldRevalidateFunctionArgs,
  useLocation,
} from '@remix-run/react';
import { type ReactNode, useContext } from 'react';
import { I18nextProvider } from 'react-i18next';
import { ErrorPage } from './components/error-page.tsx';
import { DocumentContext } from './document-context.ts';
import { localeOfPath, stripLocale } from './i18n/locales.ts';
import { useDocumentI18n } from './i18n/use-document-i18n.ts';
import { DefaultLayout } from './layouts/default.tsx';
import { pageAtPath } from './pages.ts';
import { useRootData } from './root-data.ts';
import { publicContext } from './server/public-context.server.ts';
import { visitorOf } from './server/visitor.server.ts';
import { defaultTheme, type Theme } from './theme.ts';
import { canvasColours, useThemePreference } from './theme-preference.ts';

/** The Latin files of both families are on every page, in every language. */
export const links: LinksFunction = () => [
  { rel: 'icon', href: '/favicon.ico', sizes: '32x32' },
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
  ...[dmSans, spaceGrotesk].map((href) => ({
    rel: 'preload' as const,
    as: 'font' as const,
    href,
    type: 'font/woff2',
    crossOrigin: 'anonymous' as const,
  })),
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { messages, theme, session, notice, env } = publicContext(context, request);
  const locale = localeOfPath(new URL(request.url).pathname);
  return {
    messages: messages.of(locale.code, ['common']),
    theme,
    visitor: visitorOf(session),
    notice,
    origin: env.appOrigin,
  };
}

/** The root's data depends on the language and on what forms change, not on the page. */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  const sameLocale = localeOfPath(currentUrl.pathname) === localeOfPath(nextUrl.pathname);
  return formMethod || !sameLocale ? defaultShouldRevalidate : false;
}

/** The document, around pages and errors alike. */
export function Layout({ children }: { children: ReactNode }) {
  const data = useRootData();
  const document = useContext(DocumentContext);
  const { pathname } = useLocation();
  const locale = localeOfPath(pathname);
  const i18n = useDocumentI18n(locale.code);
  const page = pageAtPath(stripLocale(pathname));
  const preference = useThemePreference();
  const theme = page?.forcedTheme ?? preference ?? document?.theme ?? defaultTheme;
  return (
    <html lang={locale.iso} dir={locale.dir} data-theme={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <ThemeColour theme={theme} />
        <Meta />
        <Links />
      </head>
      <body>
        <I18nextProvider i18n={i18n}>
          <DefaultLayout>{children}</DefaultLayout>
        </I18nextProvider>
        <ScrollRestoration nonce={document?.nonce} />
        {/* Without the root's data (an error came before it) the browser could not write the same page again. */}
        {data ? <Scripts nonce={document?.nonce} /> : null}
      </body>
    </html>
  );
}

/** Colours the browser's own bars like the page, by the operating system's scheme where that is what counts. */
function ThemeColour({ theme }: { theme: Theme }) {
  const scheme = (name: 'light' | 'dark') =>
    theme === 'system' ? `(prefers-color-scheme: ${name})` : undefined;
  return (['light', 'dark'] as const)
    .filter((name) => theme === 'system' || theme === name)
    .map((name) => <meta key={name} name="theme-color" media={scheme(name)} content={canvasColours[name]} />);
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  return <ErrorPage />;
}
