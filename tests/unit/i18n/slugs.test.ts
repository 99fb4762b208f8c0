import { matchRoutes } from '@remix-run/react';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { localizePath } from '../../../app/i18n/locales.ts';
import {
  canonicalPagePath,
  type PageParams,
  pageAtPath,
  pathOf,
  pathTo,
  payloadPathOf,
  plainPages,
} from '../../../app/i18n/localized-page.ts';
import {
  canonicalPath,
  checkSlugs,
  fillSlug,
  type ParameterOf,
  type PlainNameOf,
  type TargetOf,
} from '../../../app/i18n/slugs.ts';
import { pageNamed, pages } from '../../../app/pages.ts';
import { other, otherHome } from '../../support/this-site.ts';

const home = pageNamed('index');
const withSlug = (slug: string) => ({ ...home, slug });

describe('the types of links', () => {
  type Definition =
    | { name: 'home'; slug: '' }
    | { name: 'list'; slug: 'items' }
    | { name: 'item'; slug: 'items/:id' }
    | { name: 'part'; slug: 'items/:id/parts/:part' };
  type Target = TargetOf<Definition>;

  it('have the parameters of a slug', () => {
    expectTypeOf<ParameterOf<''>>().toEqualTypeOf<never>();
    expectTypeOf<ParameterOf<'items'>>().toEqualTypeOf<never>();
    expectTypeOf<ParameterOf<'items/:id'>>().toEqualTypeOf<'id'>();
    expectTypeOf<ParameterOf<'items/:id/parts/:part'>>().toEqualTypeOf<'id' | 'part'>();
  });

  it('require every parameter of a page, and none of a page without', () => {
    expectTypeOf<{ page: 'home' }>().toExtend<Target>();
    expectTypeOf<{ page: 'item'; params: { id: string } }>().toExtend<Target>();
    expectTypeOf<{ page: 'part'; params: { id: string; part: string } }>().toExtend<Target>();
    expectTypeOf<{ page: 'home'; params: { id: string } }>().not.toExtend<Target>();
    expectTypeOf<{ page: 'item' }>().not.toExtend<Target>();
    expectTypeOf<{ page: 'item'; params: { name: string } }>().not.toExtend<Target>();
    expectTypeOf<{ page: 'part'; params: { id: string } }>().not.toExtend<Target>();
    expectTypeOf<{ page: 'nowhere' }>().not.toExtend<Target>();
    expectTypeOf<keyof PageParams<'index'>>().toBeNever();
    // A menu links to all pages of a list.
    expectTypeOf<PlainNameOf<Definition>>().toEqualTypeOf<'home' | 'list'>();
    expectTypeOf<{ page: PlainNameOf<Definition> }>().toExtend<Target>();
  });
});

/** The parameters with which React Router, on the server and in the browser, finds the page at a path. */
function routed(path: string) {
  const routes = [{ path: '/items/:id', caseSensitive: true }];
  return matchRoutes(routes, new URL(path, 'https://site.example').pathname)?.[0]?.params ?? null;
}

describe('the path of a page with a parameter', () => {
  it.each([
    ['7', '/items/7'],
    ['a b', '/items/a%20b'],
    ['a/b', '/items/a%2Fb'],
    ['ü', '/items/%C3%BC'],
    ['名前', '/items/%E5%90%8D%E5%89%8D'],
    ['50%', '/items/50%25'],
    ['?x#y', '/items/%3Fx%23y'],
    ['//evil.example', '/items/%2F%2Fevil.example'],
    ['\\', '/items/%5C'],
    ['...', '/items/...'],
    ['notes.data', '/items/notes%2Edata'],
    ['_payload.json', '/items/_payload%2Ejson'],
    ['a.json', '/items/a.json'],
  ])('has the value %j encoded, and leads back to it', (id, path) => {
    expect(`/${fillSlug('items/:id', { id })}`).toBe(path);
    expect(routed(path)).toEqual({ id });
    expect(canonicalPath(path)).toBe(path);
  });

  it.each(['.', '..'])('leads to no other page for the value %j, which no address can have', (id) => {
    const path = `/${fillSlug('items/:id', { id })}`;
    expect(routed(path)?.id).not.toBe(id);
    expect(new URL(path, 'https://site.example').pathname).toMatch(/^\/items\/[^/]+$/);
  });

  it('has a character in place of half of one', () => {
    expect(fillSlug('items/:id', { id: 'a\ud83d' })).toBe('items/a%EF%BF%BD');
  });

  it('is in every language that of the slug, and without parameters that of the route', () => {
    expect(pathOf(withSlug('items/:id'), other, { id: 'ü' })).toBe(`/${other.code}/items/%C3%BC`);
    expect(pathTo({ page: 'index' }, other)).toBe(otherHome);
    expect(pathOf(withSlug('items/:id'), other)).toBe(`/${other.code}/items/:id`);
    expect(payloadPathOf(withSlug('items/:id'), other)).toBe(`/${other.code}/items/:id/_payload.json`);
  });

  it('has one spelling', () => {
    const spellings = ['/items/a-%c3%bc', '/items/%61-%C3%BC', '/items/%61%2D%C3%BC'];
    expect(new Set(spellings.map(canonicalPath))).toEqual(new Set(['/items/a-%C3%BC']));
    expect(canonicalPath('/items/a%252Fb'), 'as React Router reads it').toBe('/items/a%2Fb');
    expect(canonicalPagePath(`/${other.code}//items/%37`)).toBe(`/${other.code}/items/7`);
    expect(canonicalPagePath('/items/%37', other)).toBe(`/${other.code}/items/7`);
    expect(canonicalPath('/items/%'), 'not decodable').toBe('/items/%');
  });
});

describe('the page at a path', () => {
  const among = ['', 'items/:id', 'items', 'items/new', 'items/:id/:part', 'items/new/:part'].map(withSlug);
  const slugAt = (path: string) => pageAtPath(path, among)?.slug ?? null;

  it.each([
    ['/', ''],
    ['/items', 'items'],
    ['/items/7', 'items/:id'],
    ['/items/new', 'items/new'],
    ['/items/a%2Fb', 'items/:id'],
    ['/items/7/8', 'items/:id/:part'],
    ['/items/new/8', 'items/new/:part'],
    ['/items/', null],
    ['/items//8', null],
    ['/items/7/8/9', null],
    ['/Items/7', null],
    ['/nowhere', null],
  ])('%s is the one with the slug %s, as for React Router', (path, slug) => {
    expect(slugAt(path)).toBe(slug);
    const routes = among.map((page) => ({
      id: page.slug,
      path: page.slug,
      caseSensitive: true,
      index: page.slug === '',
    }));
    // React Router ignores a slash at the end, from which the site redirects.
    if (!path.endsWith('/') || path === '/') {
      expect(matchRoutes(routes, path)?.at(-1)?.route.id ?? null).toBe(slug);
    }
  });

  it('is each page of the site at its own path', () => {
    for (const { name, slug } of pages) expect(pageAtPath(`/${slug}`)?.name).toBe(name);
    for (const { slug } of plainPages) expect(slug).not.toContain(':');
  });
});

describe('the check of the slugs', () => {
  const problems = (slugs: readonly string[], resources: readonly string[] = []) => {
    const definitions = slugs.map((slug, index) => ({ name: `page${index}`, slug }));
    try {
      checkSlugs(definitions, resources);
      return [];
    } catch (error) {
      return error instanceof Error ? error.message.split('\n') : [];
    }
  };

  it('accepts those of the site, and those that differ', () => {
    expect(() => checkSlugs(pages)).not.toThrow();
    const differing = [
      '',
      'items',
      'items/new',
      'items/:id',
      'items/:id/edit',
      'items/:id/:part',
      'a/b.c~d_e-1',
    ];
    expect(problems(differing, ['auth/sign-in', 'api/:file'])).toEqual([]);
  });

  const rejected: [string[], string][] = [
    [['items', 'items'], "The pages 'page0' and 'page1' have the same addresses: 'items' and 'items'."],
    [['a/:x', 'a/:y'], "The pages 'page0' and 'page1' have the same addresses: 'a/:x' and 'a/:y'."],
    [['a/b/:x', 'a/:y/c'], "The pages 'page0' and 'page1' have the same addresses: 'a/b/:x' and 'a/:y/c'."],
    [['a/:1'], "Page 'page0', slug 'a/:1': the parameter ':1' is no identifier."],
    [['a/:b-c'], "Page 'page0', slug 'a/:b-c': the parameter ':b-c' is no identifier."],
    [['a/:b?'], "Page 'page0', slug 'a/:b?': the parameter ':b?' is no identifier."],
    [['a/:'], "Page 'page0', slug 'a/:': the parameter ':' is no identifier."],
    [['a/:b/:b'], "Page 'page0', slug 'a/:b/:b': two parameters have the same name."],
    [[':a/b'], "Page 'page0', slug ':a/b': the first segment cannot be a parameter."],
    [
      [`${other.code}/b`],
      `Page 'page0', slug '${other.code}/b': the first segment cannot be the code of a locale.`,
    ],
    ...['*', '', 'ü', 'x-:b', '..', '.b'].map((segment): [string[], string] => [
      [`a/${segment}`],
      `Page 'page0', slug 'a/${segment}': '${segment}' may have letters without accents, digits, '-', '_', '~' and '.' only.`,
    ]),
  ];

  it.each(rejected)('rejects %j', (slugs, problem) => {
    expect(problems(slugs)).toEqual([problem]);
  });

  it('rejects a page at the address of a resource', () => {
    expect(problems(['api/icons/:name'], ['api/icons/:file'])).toEqual([
      "The pages 'page0' and 'api/icons/:file' have the same addresses: 'api/icons/:name' and 'api/icons/:file'.",
    ]);
  });

  it('names every problem, each on a line of its own', () => {
    expect(problems(['a/:1', 'a/:2'])).toHaveLength(3);
  });
});

it('a path in another language keeps its parameters', () => {
  expect(localizePath('/items/a%2Fb', other)).toBe(`/${other.code}/items/a%2Fb`);
});
