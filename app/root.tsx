import './tailwind.css';
import type { LinksFunction, LoaderFunctionArgs, SerializeFrom } from '@remix-run/node';
import {
  type ClientLoaderFunctionArgs,
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  type ShouldRevalidateFunctionArgs,
  useLocation,
} from '@remix-run/react';
import type { i18n } from 'i18next';
import { type ReactNode, useContext, useEffect } from 'react';
import { I18nextProvider } from 'react-i18next';
import { canvasColors } from './brand/colors.ts';
import { buildId } from './client/browser-services.ts';
import { loadServerData } from './client/navigation/load-page.ts';
import { DocumentContext } from './components/document/document-context.ts';
import { DocumentScripts } from './components/document/document-scripts.tsx';
import { PageScroll } from './components/document/page-scroll.tsx';
import { RestoredInput } from './components/document/restored-input.tsx';
import { useRootData } from './components/document/root-data.ts';
import { ScriptFonts } from './components/document/script-fonts.tsx';
import { useThemePreference } from './components/document/theme-preference.ts';
import { useDocumentI18n } from './components/document/use-document-i18n.ts';
import { ErrorPage } from './components/site/error-page.tsx';
import { useDocumentError } from './components/site/use-document-error.ts';
import { errorTexts } from './i18n/error-texts.ts';
import { defaultLocale, localeOfPath, parseLocale, stripLocale } from './i18n/locales.ts';
import { pageAtPath } from './i18n/localized-page.ts';
import { layouts } from './layouts/layouts.ts';
import { forcedThemeOf } from './pages.ts';
import { loadRootData } from './server/rendering/root-data.ts';
import { siteName } from './site-name.ts';
import { defaultTheme, type Theme } from './theme/theme.ts';

export const links: LinksFunction = () => [
  { rel: 'icon', href: '/favicon.ico', sizes: '32x32' },
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
];

export function loader(args: LoaderFunctionArgs) {
  return loadRootData(args);
}

/** The root data of the current page. */
let currentData: SerializeFrom<typeof loader> | null = null;

/**
 * Without a network the current root data stays in use. Otherwise an error page would replace the page to which the
 * visitor navigated back.
 */
export function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  const { code } = localeOfPath(new URL(request.url).pathname);
  return loadServerData(
    request,
    () => serverLoader<typeof loader>(),
    () => (currentData?.locale === code ? currentData : null),
  );
}

/**
 * The root's data depends on the locale and on submitted forms, but not on the page. A navigation to the current
 * address is a request to refresh, so it loads the data again. A failed form has changed nothing, so it does not load
 * the data, which could fail too and replace the page with what the visitor typed. A 401 means that the session has
 * ended.
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

/** The HTML document, for pages and for the error page. */
export function Layout({ children }: { children: ReactNode }) {
  const data = useRootData();
  useEffect(() => {
    currentData = data ?? null;
  }, [data]);
  const documentContext = useContext(DocumentContext);
  const { pathname } = useLocation();
  const i18n = useDocumentI18n(localeOfPath(pathname).code);
  const locale = parseLocale(i18n.language) ?? defaultLocale;
  const page = pageAtPath(stripLocale(pathname));
  const PageLayout = layouts[page?.layout ?? 'default'];
  const preference = useThemePreference();
  const theme = forcedThemeOf(page) ?? preference ?? defaultTheme;
  return (
    <html lang={locale.iso} dir={locale.dir} data-theme={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="build-id" content={documentContext?.buildId ?? buildId()} />
        <ThemeColor theme={theme} />
        <PageMeta i18n={i18n} />
        <Links />
        <ScriptFonts locale={locale.code} />
      </head>
      <body>
        <div data-site="">
          <I18nextProvider i18n={i18n}>
            <PageLayout>{children}</PageLayout>
          </I18nextProvider>
        </div>
        <PageScroll />
        <RestoredInput />
        {/* If the root loader failed, the browser cannot render the same page, so the page stays without scripts. */}
        {data ? <DocumentScripts /> : null}
      </body>
    </html>
  );
}

function PageMeta({ i18n }: { i18n: i18n }) {
  const { error, isServers } = useDocumentError();
  if (!error) return <Meta />;
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const isBrowsers = !isServers && !isRouteErrorResponse(error);
  const title = isBrowsers ? 'browser' : errorTexts(i18n, status).title;
  return <title>{`${i18n.t(`error.${title}.title`)} · ${siteName}`}</title>;
}

/** The color of the browser's own bars. The theme `system` has one for each color scheme of the operating system. */
function ThemeColor({ theme }: { theme: Theme }) {
  const scheme = (name: 'light' | 'dark') =>
    theme === 'system' ? `(prefers-color-scheme: ${name})` : undefined;
  return (['light', 'dark'] as const)
    .filter((name) => theme === 'system' || theme === name)
    .map((name) => <meta key={name} name="theme-color" media={scheme(name)} content={canvasColors[name]} />);
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  return <ErrorPage />;
}
