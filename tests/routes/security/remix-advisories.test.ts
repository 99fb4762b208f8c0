/**
 * Published advisories of Remix's packages that have no fixed release: each exploit works against the library alone, and
 * not against the built site.
 */
import { createRequestHandler } from '@remix-run/node';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultLocale } from '../../../app/i18n/locales.ts';
import { pathOf } from '../../../app/i18n/localized-page.ts';
import { requireAs } from '../../support/advisories/installed-package.ts';
import { minimalBuild } from '../../support/advisories/minimal-build.ts';
import { constructorsOf, parseValues, streamOfDocument } from '../../support/advisories/single-fetch.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { openPages } from '../../support/localized-pages.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { another, examplePath, formPath, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

type TurboStream = {
  encode(value: unknown): ReadableStream<Uint8Array>;
  decode(stream: ReadableStream<Uint8Array>): Promise<{ value: unknown; done: Promise<void> }>;
};
type RemixErrors = { deserializeErrors(errors: Record<string, unknown>): Record<string, unknown> };

// The packages have types of their own, but only their dependents may import them.
const turboStream = requireAs(['@remix-run/react'], 'turbo-stream') as TurboStream;
const remixErrors = requireAs([], '@remix-run/react/dist/errors.js') as RemixErrors;

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0' } });
let ada: SiteVisitor;

beforeAll(async () => {
  ada = await stack.signUp('ada');
});

const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();
const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce((inner: unknown) => ({ inner }), 'text');

/** The pages whose data the requests ask for. */
const dataPages = [
  '/_root',
  ...[defaultLocale, other].flatMap((locale) => openPages.map((page) => pathOf(page, locale))),
].filter((path) => path !== '/');

/**
 * Sends requests that carry `text` everywhere that the site's routes look; addresses carry its start. Returns the bodies
 * that Remix's client would decode.
 */
async function streamsFor(text: string): Promise<Map<string, string>> {
  const names = 'text message returnTo theme locale after intent id size weight'.split(' ');
  const fields = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  const segment = `/${encodeURIComponent(text.slice(0, 100))}`;
  const query = new URLSearchParams(fields(text.slice(0, 300)));
  const targets = [formPath(other), examplePath(another), '/preferences', '/api/graphql', segment];
  const requests = [
    ...[...dataPages, segment].map((page) => ({ path: `${page}.data?${query}` })),
    ...targets.map((target) => ({ path: `${target}.data`, ...formSubmission(fields(text)) })),
  ];
  const streams = new Map<string, string>();
  for (const { path, ...options } of requests) {
    const { body } = await ada.request(path, options);
    const name = `${'method' in options ? 'POST' : 'GET'} ${path.slice(0, 40)}`;
    if (body.startsWith('[')) streams.set(name, body);
  }
  return streams;
}

describe('CVE-2026-34077: input that shapes what turbo-stream encodes', () => {
  it('makes the encoder fail when it is nested deeply (control)', async () => {
    await expect(textOf(turboStream.encode(nested(5000)))).rejects.toThrow(
      'Maximum call stack size exceeded',
    );
    const fields = Array.from({ length: 1000 }, (_, index) => [`f${index}`, `v${index}`]);
    expect(parseValues(await textOf(turboStream.encode(Object.fromEntries(fields))))).toHaveLength(2001);
  });

  // threat-model: T-080
  it('never shapes the structure of a single-fetch response', async () => {
    const shapes = [
      '[[[[['.repeat(50),
      '{"a":'.repeat(80),
      JSON.stringify(Array.from({ length: 120 }, (_, index) => index)),
      Array.from({ length: 60 }, (_, index) => `a[${index}]=1`).join('&'),
    ];
    for (const shape of shapes) {
      const streams = await streamsFor(shape);
      expect(streams.size).toBeGreaterThanOrEqual(dataPages.length);
      for (const [name, stream] of streams) {
        const values = parseValues(stream);
        // No value is the parsed input, and the longest list of values is that of a page with its texts.
        expect(values.length, name).toBeLessThan(1000);
        expect(depthOf(values), name).toBeLessThan(20);
      }
    }
  });

  // threat-model: T-080
  it('does not grow a single-fetch response by fields that no route knows', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`f[${index}][a]`, `v${index}`]),
    );
    const send = (fields: Record<string, string>) =>
      ada.request(`${formPath(other)}.data`, formSubmission({ text: '', ...fields }));
    const [few, all] = [await send({}), await send(many)];
    expect(all.status).toBe(few.status);
    expect(parseValues(all.body).length).toBe(parseValues(few.body).length);
  });
});

describe('CVE-2026-42211: constructors that a stream names', () => {
  it('are called with a message of the attacker by the decoder (control)', async () => {
    const messages = stubConstructor();
    const hostile = Object.assign(new Error('https://evil.example'), { name: 'HostileProbe' });
    const stream = await textOf(turboStream.encode({ hostile }));
    expect(constructorsOf(stream)).toEqual(['HostileProbe']);
    await turboStream.decode(new Blob([stream]).stream());
    expect(messages).toEqual(['https://evil.example']);
  });

  // threat-model: T-081
  it('are in no single-fetch response, whatever a visitor sends', async () => {
    for (const text of [
      'HostileProbe',
      '["E","https://evil.example","HostileProbe"]',
      '["SanitizedError",1,2,3]',
      '[["E","https://evil.example","HostileProbe"]]\n["E","x","HostileProbe"]',
    ]) {
      const streams = await streamsFor(text);
      expect(streams.size).toBeGreaterThanOrEqual(dataPages.length);
      for (const [name, stream] of streams) expect(constructorsOf(stream), name).toEqual([]);
    }
  });

  // threat-model: T-081
  it('are in no single-fetch response for an error with a hostile name, because production hides its name', async () => {
    const failing = minimalBuild(() => {
      throw Object.assign(new Error('https://evil.example'), { name: 'HostileProbe' });
    });
    const bodyIn = async (mode: string) => {
      const response = await createRequestHandler(failing, mode)(new Request('http://localhost/_root.data'));
      return response.text();
    };
    const [shown, hidden] = [await bodyIn('development'), await bodyIn('production')];
    expect(constructorsOf(shown)).toEqual(['HostileProbe']);
    expect(constructorsOf(hidden)).toEqual([]);
    expect(hidden).not.toContain('evil.example');
  });
});

describe('CVE-2026-53666: constructors that hydration data name', () => {
  it('are called with a message of the attacker by Remix (control)', () => {
    const messages = stubConstructor();
    vi.stubGlobal('window', globalThis);
    remixErrors.deserializeErrors({
      root: { __type: 'Error', __subType: 'HostileProbe', message: 'https://evil.example' },
    });
    expect(messages).toEqual(['https://evil.example']);
  });

  // threat-model: T-081
  it('are in no document, whatever a visitor sends', async () => {
    const error = '{"__type":"Error","__subType":"HostileProbe","message":"https://evil.example"}';
    const query = new URLSearchParams({ text: error, after: error, errors: error, returnTo: error });
    const segment = encodeURIComponent(error);
    const paths = [
      ...openPages.map((page) => pathOf(page, defaultLocale)),
      otherHome,
      `/${segment}`,
      `${otherHome}/${segment}`,
    ];
    for (const path of paths.map((path) => `${path}?${query}`)) {
      const { body, status } = await ada.request(path, { headers: { 'sec-fetch-dest': 'document' } });
      const stream = streamOfDocument(body);
      expect(parseValues(stream).length, `${status} ${path}`).toBeGreaterThan(10);
      expect(constructorsOf(stream), path).toEqual([]);
      expect(parseValues(stream), path).not.toContain('__subType');
    }
  });
});

describe('CVE-2026-55685: the paths of a manifest request', () => {
  const hostile = (version: string) =>
    `/__manifest?version=${version}&p=/${Array.from({ length: 900 }, (_, index) => index.toString(36)).join('/')}`;

  it('are matched without a limit of their own by Remix (control)', async () => {
    let matched = 0;
    const routes = new Proxy({}, { get: () => ++matched });
    const build = minimalBuild(() => null, routes);
    const response = await createRequestHandler(
      build,
      'production',
    )(new Request(`http://localhost${hostile('1')}`));
    expect(response.status).toBe(200);
    expect(matched).toBeGreaterThan(900);
  });

  // threat-model: T-055
  it('are rejected before Remix matches them when they are many or deep', async () => {
    const { id } = JSON.parse((await ada.request('/builds/latest.json')).body);
    const wide = `/__manifest?version=${id}${Array.from({ length: 300 }, (_, index) => `&p=/${index}`).join('')}`;
    const encoded = `/__manifest?version=${id}&p=${'%2Fa'.repeat(200)}`;
    for (const path of [hostile(id), wide, encoded]) {
      expect((await ada.request(path)).status, path.slice(0, 80)).toBe(400);
    }
    expect((await ada.request(`/__manifest?version=${id}&p=${otherHome}`)).status).toBe(200);
  });
});

/** Defines a global constructor that records the messages it is called with. */
function stubConstructor(): string[] {
  const messages: string[] = [];
  vi.stubGlobal(
    'HostileProbe',
    class {
      constructor(message: string) {
        messages.push(message);
      }
    },
  );
  return messages;
}

/** Returns how deep the values refer to each other. */
function depthOf(values: readonly unknown[], index = 0, seen = new Set<number>()): number {
  const value = values[index];
  if (typeof value !== 'object' || value === null || seen.has(index)) return 1;
  const inner = Object.values(value).filter((next) => typeof next === 'number' && next >= 0);
  const path = new Set([...seen, index]);
  return 1 + Math.max(0, ...inner.map((next) => depthOf(values, Number(next), path)));
}
