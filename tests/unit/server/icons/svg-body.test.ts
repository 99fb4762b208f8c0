import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { isSafeSvgBody } from '../../../../app/server/icons/svg-body.ts';

describe('isSafeSvgBody returns true', () => {
  it('for every icon of Lucide', () => {
    const rejected = Object.entries(lucide.icons).filter(([, { body }]) => !isSafeSvgBody(body));
    expect(rejected).toEqual([]);
  });

  it.each([
    '<path fill="currentColor" d="M10 20v-6h4v6h5v-8h3L12 3L2 12h3v8z"/>',
    '<defs><linearGradient id="a"><stop offset="0" stop-color="rgb(1,2,3)"/></linearGradient></defs><path fill="url(#a)" d="M0 0"/>',
    '<mask id="a.b"><g fill="#fff"><circle r="4"/></g></mask><path mask="url(#a.b)" d="M0 0"/>',
    '<g transform="translate(24 0) scale(-1 1)"><rect width="2" height="2"/></g>',
    '<path id="p" d="M0 0"/><use href="#p"/><use xlink:href="#p"/>',
    '<path d="M0 0"><animate attributeName="stroke-dashoffset" begin="a.end" dur="0.6s" values="24;0" fill="freeze"/></path>',
    '<path d="M0 0"><animateTransform attributeName="transform" dur="1s" repeatCount="indefinite" type="rotate" values="0 12 12;360 12 12"/></path>',
    '<text x="1">A &amp; B</text>',
    '<path id="a-long.id:1" d="M0 0"/><use href="#a-long.id:1"/>',
    '<path d="M0 0" fill="url(#a)"/><path d="M0 0" fill="url(#b) rgb (1, 2, 3)"/>',
    '<path d="M0 0"><animate attributeName="width" values="1;2"/></path>',
  ])('for %s', (body) => {
    expect(isSafeSvgBody(body)).toBe(true);
  });

  it('for 32 elements inside each other, and for more beside each other', () => {
    expect(isSafeSvgBody('<g>'.repeat(32) + '</g>'.repeat(32))).toBe(true);
    expect(isSafeSvgBody('<g>'.repeat(33) + '</g>'.repeat(33))).toBe(false);
    expect(isSafeSvgBody('<g></g>'.repeat(100))).toBe(true);
  });
});

describe('isSafeSvgBody returns false', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['an event handler', '<path d="M0 0" onload="alert(1)"/>'],
    ['foreign content', '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'],
    ['a link', '<a href="#a"><path d="M0 0"/></a>'],
    ['an image', '<image href="#a"/>'],
    ['an image in a filter', '<filter id="f"><feImage href="#a"/></filter>'],
    ['a style sheet', '<style>*{fill:url(https://evil.example)}</style>'],
    ['a style attribute', '<path style="fill:red"/>'],
    ['a class attribute', '<path class="fixed inset-0"/>'],
    ['a reference to another document', '<use href="https://evil.example/x.svg#a"/>'],
    ['a relative reference to another document', '<use href="/x.svg#a"/>'],
    ['a data: URL', '<use xlink:href="data:image/svg+xml,x#a"/>'],
    ['a javascript: URL', '<use href="javascript:alert(1)"/>'],
    ['a javascript: URL with character references', '<use href="&#106;avascript:alert(1)"/>'],
    ['an external paint', '<path fill="url(https://evil.example/#a)"/>'],
    ['an external paint with a CSS escape', '<path fill="u\\72l(//evil.example)"/>'],
    ['an escaped parenthesis', '<path fill="url\\28 //evil.example\\29 "/>'],
    ['an external paint next to an own one', '<path fill="url(#a) url(//evil.example)"/>'],
    ['an image as a mask', '<path mask="image-set(&quot;https://evil.example&quot; 1x)"/>'],
    ['an animated link', '<use href="#a"><set attributeName="href" to="//evil.example"/></use>'],
    [
      'an animated link by its older name',
      '<use href="#a"><set attributeName="xlink:href" to="//evil.example"/></use>',
    ],
    ['an animated id', '<path id="a"><set attributeName="id" to="b"/></path>'],
    ['a reference with more after it', '<use href="#a b"/>'],
    ['an id with a space', '<path id="a b"/>'],
    ['an id that begins with a quote', '<path id="&quot;a"/>'],
    ['a function with a space before its parenthesis', '<path fill="element (#a)"/>'],
    ['an animated event handler', '<path><set attributeName="onclick" to="alert(1)"/></path>'],
    [
      'an animated external paint',
      '<path><animate attributeName="fill" values="red;url(//evil.example)"/></path>',
    ],
    ['an id that closes its attribute', '<path id="a&quot; onload=&quot;alert(1)"/>'],
    ['a closed svg element', '</svg><script>alert(1)</script><svg>'],
    ['a closed svg element before harmless shapes', '</svg><path d="M0 0"/><svg>'],
    ['a comment', '<!-- --><path d="M0 0"/>'],
    ['CDATA', '<text><![CDATA[<script>alert(1)</script>]]></text>'],
    ['a processing instruction', '<?xml-stylesheet href="//evil.example"?>'],
    ['a document type', '<!DOCTYPE svg [<!ENTITY x "y">]>'],
    ['a custom entity', '<text>&x;</text>'],
    ['an element without an end tag', '<path d="M0 0">'],
    ['an attribute without quotes', '<path d=M0/>'],
    ['a duplicate attribute', '<path d="M0" d="M1"/>'],
    ['a control character', '<path d="M0\u0000"/>'],
  ])('for %s', (_what, body) => {
    expect(isSafeSvgBody(body)).toBe(false);
  });
});
