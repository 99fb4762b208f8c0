import { createElement, type HTMLAttributes, type ReactElement, useContext } from 'react';
import { DocumentContext } from './document-context.ts';

type Props = Omit<HTMLAttributes<HTMLElement>, 'children'> & {
  as?: 'details' | 'div' | 'fieldset' | 'header' | 'nav' | 'p' | 'span' | 'ul';
  /** One component. Its properties are texts and numbers of which the site has a few, such as the name of a page. */
  children: ReactElement;
};

/**
 * An element whose content is the same for all visitors in one language. The server renders the content once for
 * each language and combination of properties, and inserts the text into each document. The browser renders it like any
 * other component.
 *
 * The content must not use an id of `useId`, the address of the page, or data of a loader, because it is rendered without
 * them. It gets what it needs of them as properties.
 */
export function StaticPart({ as = 'div', children, ...attributes }: Props) {
  const html = useContext(DocumentContext)?.staticParts.find(children);
  if (html) return createElement(as, { ...attributes, dangerouslySetInnerHTML: { __html: html } });
  return createElement(as, attributes, children);
}
