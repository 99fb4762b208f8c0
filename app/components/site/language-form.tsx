import { useFetcher } from '@remix-run/react';
import type { ReactNode } from 'react';
import { ReturnToField } from './return-to-field.tsx';

/** Key of the fetcher that posts a chosen language. */
export const LANGUAGE_FETCHER = 'language';

/** A form whose buttons named `locale` change the language of the current page and store the choice. */
export function LanguageForm({ label, children }: { label?: string; children: ReactNode }) {
  // A navigation would show the page of the action if it failed.
  const fetcher = useFetcher({ key: LANGUAGE_FETCHER });
  return (
    // As on Remix's other forms the attribute makes its client load the route before the form is sent.
    <fetcher.Form
      method="post"
      action="/preferences"
      preventScrollReset
      aria-label={label}
      data-discover="true"
    >
      <ReturnToField />
      {children}
    </fetcher.Form>
  );
}
