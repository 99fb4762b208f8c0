/** What the server provides to components while it renders a document. In the browser the context is null. */
import type { EntryContext } from '@remix-run/node';
import type { i18n } from 'i18next';
import { createContext } from 'react';
import type { DocumentIcons } from '~/server/rendering/document-icons.ts';
import type { DocumentParts } from '~/server/rendering/static-parts.tsx';
import type { Visitor } from '~/server/session/visitor.ts';
import type { Theme } from '~/theme/theme.ts';

export type DocumentContextValue = {
  /** Undefined for a cached page, whose Content-Security-Policy lists the hashes of its scripts. */
  nonce: string | undefined;
  requestId: string;
  buildId: string;
  /** The i18next instance of the document's locale. All requests share it. */
  i18n: i18n;
  theme: Theme;
  visitor: Visitor;
  icons: DocumentIcons;
  staticParts: DocumentParts;
  /** What `DocumentScripts` writes for Remix's client. Null for a document without the client. */
  remix: RemixHandoff | null;
};

/** The data that Remix's client reads when it starts. */
export type RemixHandoff = {
  manifest: EntryContext['manifest'];
  serverHandoffString: string | undefined;
  /** The data of all loaders, encoded by Remix. */
  routeData: string;
  /** The translations of the page, as JavaScript. */
  translations: string;
};

export const DocumentContext = createContext<DocumentContextValue | null>(null);
