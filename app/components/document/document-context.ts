/** What the server provides to components while it renders a document. In the browser the context is null. */
import type { i18n } from 'i18next';
import { createContext } from 'react';
import type { Theme } from '~/theme/theme.ts';
import type { Visitor } from '../../server/rendering/visitor.ts';

export type DocumentContextValue = {
  requestId: string;
  buildId: string;
  /** The i18next instance of the document's locale. All requests share it. */
  i18n: i18n;
  theme: Theme;
  visitor: Visitor;
  /** The text of the document's inline script. */
  script: string;
  /** The address of the module that starts the client. */
  entryModule: string;
};

export const DocumentContext = createContext<DocumentContextValue | null>(null);
