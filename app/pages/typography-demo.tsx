import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useTranslation } from 'react-i18next';
import type { loader as rootLoader } from '../root.tsx';
import { pageData } from '../server/page-data.server.ts';
import { pageMeta } from './page-meta.ts';

export function loader(args: LoaderFunctionArgs) {
  return pageData('typography-demo', args);
}

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ data, matches, location }) =>
  pageMeta(data, matches.find((match) => match.id === 'root')?.data?.origin, location.pathname);

export default function TypographyDemoPage() {
  const { t } = useTranslation('typography-demo');
  return <h1>{t('title')}</h1>;
}
