import { useTranslation } from 'react-i18next';
import { plainPages } from '~/i18n/localized-page.ts';
import { PageLink } from './page-link.tsx';
import { useSiteLinks } from './site-links.ts';
import { Mark } from './wordmark.tsx';

const linkClass =
  'inline-flex min-h-11 items-center rounded-control underline decoration-1 underline-offset-4 hover:text-primary hover:decoration-2';

/** About the site, and links. */
export function SiteFooter() {
  const { t } = useTranslation();
  const { source, docs } = useSiteLinks();
  return (
    <footer className="mt-24 border-t border-line bg-sunken print:hidden">
      <div className="page-width grid grid-cols-1 gap-10 py-12 md:grid-cols-2 md:gap-16">
        <p className="flex max-w-[34ch] items-start gap-3 text-ink-muted">
          <About />
        </p>
        <nav aria-label={t('footer.label')} className="md:-mt-2 md:justify-self-end">
          <FooterLinks source={source} docs={docs} />
        </nav>
      </div>
    </footer>
  );
}

function About() {
  const { t } = useTranslation();
  return (
    <>
      <Mark className="mt-0.5 size-6" />
      <span>{t('footer.about')}</span>
    </>
  );
}

/** Links to the pages of the footer and the licenses, and to the source code and the documentation where those are configured. */
function FooterLinks({ source, docs }: { source: string | null; docs: string | null }) {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap items-center gap-x-8 gap-y-1 text-ink-muted">
      {plainPages
        .filter(({ linkedFrom }) => linkedFrom === 'footer')
        .map(({ name }) => (
          <li key={name}>
            <PageLink page={name} className={linkClass}>
              {t(`nav.pages.${name}`)}
            </PageLink>
          </li>
        ))}
      {docs ? <DocumentLink href={docs} text={t('footer.docs')} /> : null}
      {source ? <DocumentLink href={source} text={t('footer.source')} /> : null}
      <DocumentLink href="/licenses.txt" text={t('footer.license')} />
    </ul>
  );
}

/** A link to a document that is no page of the site. */
function DocumentLink({ href, text }: { href: string; text: string }) {
  return (
    <li>
      <a href={href} className={linkClass}>
        {text}
      </a>
    </li>
  );
}
