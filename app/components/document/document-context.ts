/**
 * What only the server knows while it renders a document. In the browser it is null, and what depends on it is left as
 * the server wrote it.
 */
import type { IconifyIcon } from '@iconify/types';
import type { i18n } from 'i18next';
import { createContext } from 'react';
import type { Theme } from '../../theme/theme.ts';

export type DocumentContextValue = {
  /** Undefined for a page for everyone, whose policy knows its scripts by their hashes. */
  nonce: string | undefined;
  requestId: string;
  buildId: string;
  /** The shared instance of the document's locale. */
  i18n: i18n;
  theme: Theme;
  icons: DocumentIcons;
  /** What the loaders gave, encoded as Remix's client reads it. */
  routeData: string;
};

export type DocumentIcons = {
  /**
   * The icon with this full name (`mdi:home`), or null where there is none or it did not come in time. Throws a promise
   * while it is on its way: call it below a `Suspense`.
   */
  draw(id: string): IconifyIcon | null;
};

export const DocumentContext = createContext<DocumentContextValue | null>(null);
