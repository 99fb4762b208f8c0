import { Form } from '@remix-run/react';
import type { ReactNode } from 'react';
import { ReturnToField } from './return-to-field.tsx';

/** A form whose buttons named `locale` change the language of the current page and store the choice. */
export function LanguageForm({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <Form method="post" action="/preferences" preventScrollReset aria-label={label}>
      <ReturnToField />
      {children}
    </Form>
  );
}
