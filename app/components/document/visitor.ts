import { useContext } from 'react';
import type { Visitor } from '../../server/rendering/visitor.ts';
import { DocumentContext } from './document-context.ts';
import { useRootData } from './root-data.ts';

/** The visitor. The document of a rejected form has no root data. Undefined only in the browser, on such a document. */
export function useVisitor(): Visitor | undefined {
  const documentContext = useContext(DocumentContext);
  return useRootData()?.visitor ?? documentContext?.visitor;
}
