import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RichText } from '../../../../app/components/ui/rich-text.tsx';

const elements = { page: <b />, em: <em />, outer: <q />, inner: <q /> };
const render = (text: string) => renderToStaticMarkup(<RichText text={text} elements={elements} />);

test.each([
  ['a text without tags', 'Only text.', 'Only text.'],
  ['a tag within a sentence', 'Read the <page>page</page>.', 'Read the <b>page</b>.'],
  ['the same tag twice', '<em>a</em> and <em>b</em>', '<em>a</em> and <em>b</em>'],
  ['a tag in another one', '<outer>a <inner>b</inner> c</outer>', '<q>a <q>b</q> c</q>'],
  ['a tag over two lines', '<em>a\nb</em>', '<em>a\nb</em>'],
  ['the content of an unknown tag', 'a <other>b</other> c', 'a b c'],
  ['a tag that is not closed, as text', 'a <em>b', 'a &lt;em&gt;b'],
  ['markup with attributes, as text', '<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['names of object properties as unknown tags', '<constructor>a</constructor>', 'a'],
])('shows %s', (_what, text, html) => {
  expect(render(text)).toBe(`<span>${html}</span>`);
});
