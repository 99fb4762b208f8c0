import './tailwind.css';
import spaceGrotesk from '@fontsource-variable/space-grotesk/files/space-grotesk-latin-wght-normal.woff2?url';
import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import {
  type ClientLoaderFunctionArgs,
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  type ShouldRevalidateFunctionArgs,
  useLocation,
} from '@remix-run/react';
import { type ReactNode, useContext } from 'react';
import { I18nextProvider } from 'react-i18next';
import { buildId } from './client/tab-state/this-tab.ts';
import { DocumentContext } from './components/document/document-context.ts';
import { DocumentScripts } from './components/document/document-scripts.tsx';
import { KeptText } from './components/document/kept-text.tsx';
import { PageScroll } from './components/document/page-scroll.tsx';
import { useRootData } from './components/document/root-data.ts';
import { ErrorPage } from './components/site/error-page.tsx';
import dmSans from './fonts/dm-sans-latin-300-700.woff2?url';
import { localeOfPath, stripLocale } from './i18n/locales.ts';
import { useDocumentI18n } from './i18n/use-document-i18n.ts';
import { layouts } from './layouts/by-name.ts';
import { forcedThemeOf, pageAtPath } from './pages.ts';
import { isForDocument } from './server/http/document-request.ts';
import { publicContext } from './server/public-context.ts';
import { toVisitor } from './server/session/visitor.ts';
import { defaultTheme, type Theme } from './theme/theme.ts';
import { canvasColours, useThemePreference } from './theme/theme-preference.ts';

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
  const { t } = messages.instance(locale.code);
  return {
    errorTitles: { notFound: t('error.notFound.title'), other: t('error.other.title') },
    locale: locale.code,
    // A script has them already, or takes them from the payload of the page that it goes to.
    messages: isForDocument(request) ? messages.of(locale.code, ['common']) : {},
    theme,
    visitor: toVisitor(session),
    notice,
    origin: env.appOrigin,
  };
}

/** The title where an error took the page's place; pages have their own. */
export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  const isNotFound = isRouteErrorResponse(error) && error.status === 404;
  const title = isNotFound ? data?.errorTitles.notFound : data?.errorTitles.other;
  return [{ title: error && title ? `${title} · Tenfold` : 'Tenfold' }];
};

/** Without a network what is shown stays as it is: an error would take the page away that the visitor has come back to. */
export async function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  try {
    return await serverLoader<typeof loader>();
  } catch (error) {
    const { root: shown } = window.__remixRouter.state.loaderData;
    const locale = localeOfPath(new URL(request.url).pathname);
    if (error instanceof TypeError && shown?.locale === locale.code) return shown;
    throw error;
  }
}

/**
 * The root's data depends on the language and on what forms change, not on the page; the same address once more means
 * that somebody wants to know what is new. A form that failed changed
 * nothing, and asking anew could fail too and take what was typed; only a 401 says that the visitor is another now.
 */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  actionStatus = 200,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  if (actionStatus >= 400 && actionStatus !== 401) return false;
  if (currentUrl.href === nextUrl.href) return defaultShouldRevalidate;
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
  const PageLayout = layouts[page?.layout ?? 'default'];
  const preference = useThemePreference();
  const theme = forcedThemeOf(page) ?? preference ?? document?.theme ?? defaultTheme;
  return (
    <html lang={locale.iso} dir={locale.dir} data-theme={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="build-id" content={document?.buildId ?? buildId()} />
        <ThemeColour theme={theme} />
        <Meta />
        <Links />
      </head>
      <body>
        <I18nextProvider i18n={i18n}>
          <PageLayout>{children}</PageLayout>
        </I18nextProvider>
        <PageScroll />
        <KeptText />
        {/* Without the root's data (an error came before it) the browser could not write the same page again. */}
        {data ? <DocumentScripts nonce={document?.nonce} /> : null}
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
