import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { isSafeSvgBody } from '../../../../app/server/icons/svg-body.ts';

describe('drawings that are accepted', () => {
  it('accepts every icon of Lucide', () => {
    const refused = Object.entries(lucide.icons).filter(([, { body }]) => !isSafeSvgBody(body));
    expect(refused).toEqual([]);
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
  ])('accepts %s', (body) => {
    expect(isSafeSvgBody(body)).toBe(true);
  });
});

describe('drawings that are refused', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script in a namespace', '<svg:script>alert(1)</svg:script>'],
    ['a script in capitals', '<SCRIPT/>'],
    ['a handler', '<path d="M0 0" onload="alert(1)"/>'],
    ['a handler in capitals', '<path ONCLICK="alert(1)"/>'],
    ['foreign content', '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'],
    ['HTML', '<img src="x"/>'],
    ['a link', '<a href="#a"><path d="M0 0"/></a>'],
    ['an image', '<image href="#a"/>'],
    ['a filter’s image', '<filter id="f"><feImage href="#a"/></filter>'],
    ['a style sheet', '<style>*{fill:url(https://evil.example)}</style>'],
    ['a style', '<path style="fill:red"/>'],
    ['a class', '<path class="fixed inset-0"/>'],
    ['another document’s part', '<use href="https://evil.example/x.svg#a"/>'],
    ['another document’s part, relatively', '<use href="/x.svg#a"/>'],
    ['a data address', '<use xlink:href="data:image/svg+xml,x#a"/>'],
    ['a script’s address', '<use href="javascript:alert(1)"/>'],
    ['a script’s address in entities', '<use href="&#106;avascript:alert(1)"/>'],
    ['paint from elsewhere', '<path fill="url(https://evil.example/#a)"/>'],
    ['paint from elsewhere, quoted', `<path fill="url('//evil.example')"/>`],
    ['paint from elsewhere in capitals', '<path fill="URL(//evil.example)"/>'],
    ['paint from elsewhere with an escape', '<path fill="u\\72l(//evil.example)"/>'],
    ['paint from elsewhere beside its own', '<path fill="url(#a) url(//evil.example)"/>'],
    ['a mask’s image', '<path mask="image-set(&quot;https://evil.example&quot; 1x)"/>'],
    ['an animated link', '<use href="#a"><set attributeName="href" to="//evil.example"/></use>'],
    ['an animated handler', '<path><set attributeName="onclick" to="alert(1)"/></path>'],
    [
      'animated paint from elsewhere',
      '<path><animate attributeName="fill" values="red;url(//evil.example)"/></path>',
    ],
    ['an id that is more than one', '<path id="a&quot; onload=&quot;alert(1)"/>'],
    ['an end of the drawing', '</svg><script>alert(1)</script><svg>'],
    ['an end of the drawing, with harmless shapes after it', '</svg><path d="M0 0"/><svg>'],
    ['a comment', '<!-- --><path d="M0 0"/>'],
    ['a comment that HTML ends elsewhere', '<!--><img src=x onerror=alert(1)>-->'],
    ['CDATA', '<text><![CDATA[<script>alert(1)</script>]]></text>'],
    ['an instruction', '<?xml-stylesheet href="//evil.example"?>'],
    ['a document type', '<!DOCTYPE svg [<!ENTITY x "y">]>'],
    ['an entity of its own', '<text>&x;</text>'],
    ['what is not well-formed', '<path d="M0 0">'],
    ['an attribute without quotes', '<path d=M0/>'],
    ['a doubled attribute', '<path d="M0" d="M1"/>'],
    ['a control character', '<path d="M0\u0000"/>'],
    ['endless nesting', '<g>'.repeat(100) + '</g>'.repeat(100)],
  ])('refuses %s', (_what, body) => {
    expect(isSafeSvgBody(body)).toBe(false);
  });
});
