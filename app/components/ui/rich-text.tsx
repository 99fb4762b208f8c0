import { cloneElement, createElement, Fragment, type ReactElement, type ReactNode } from 'react';

/** A pair of tags with its content. Tags of other names may be inside it. */
const ELEMENT = /<(\w+)>(.*?)<\/\1>/s;

type RichTextProps = {
  /** A translation with tags, such as `Read the <page>privacy page</page>.` */
  text: string;
  /** The element for each tag. It gets the content of the tag as its children. */
  elements: Record<string, ReactElement>;
};

/**
 * A sentence with links or emphasis, as one translation, so that each language can place them. `Trans` of react-i18next
 * would add to the code of every page. A tag without an element shows only its content. Another text is another
 * element: a browser that translates the page replaces the texts in it, which React then cannot change.
 */
export function RichText({ text, elements }: RichTextProps) {
  return createElement('span', { key: text }, ...render(text, elements));
}

function render(text: string, elements: RichTextProps['elements']): ReactNode[] {
  // Text, tag name, content, text, tag name, content, …, text.
  const parts = text.split(ELEMENT);
  return parts.map((part, index) => {
    if (index % 3 === 1) return null;
    if (index % 3 === 0) return part;
    const content = render(part, elements);
    const name = parts[index - 1] ?? '';
    const element = Object.hasOwn(elements, name) ? elements[name] : undefined;
    return element ? cloneElement(element, undefined, ...content) : createElement(Fragment, null, ...content);
  });
}
