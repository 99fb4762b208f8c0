import { beforeEach, describe, expect, it } from 'vitest';
import { PolicyReports } from '../../../../app/server/content-policy/policy-reports.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';

const ORIGIN = 'https://site.example';

/** As Chromium 140 sends it for `report-uri`. */
const chromium = {
  'document-uri': `${ORIGIN}/fr/test-message?draft=secret`,
  referrer: `${ORIGIN}/?from=ada@example.com`,
  'violated-directive': 'script-src-elem',
  'effective-directive': 'script-src-elem',
  'original-policy': "default-src 'self'",
  disposition: 'enforce',
  'blocked-uri': 'inline',
  'line-number': 1,
  'source-file': `${ORIGIN}/fr/test-message`,
  'status-code': 200,
  'script-sample': 'alert("a secret")',
};
const deprecated = (changes: object) => ({ 'csp-report': { ...chromium, ...changes } });

/** As Chromium 140 sends it to an endpoint of `Reporting-Endpoints`. */
const reported = (changes: object = {}, more: object = {}) => ({
  age: 3,
  type: 'csp-violation',
  url: `${ORIGIN}/ar?q=secret`,
  user_agent: 'Mozilla/5.0 (secret)',
  body: {
    blockedURL: 'https://evil.example:8443/run.js?user=ada',
    disposition: 'enforce',
    documentURL: `${ORIGIN}/ar?q=secret#part`,
    effectiveDirective: 'script-src-elem',
    originalPolicy: "default-src 'self'",
    referrer: '',
    sample: 'secret',
    statusCode: 200,
    ...changes,
  },
  ...more,
});

/** Returns what is logged of a report, or null for a body that is none. */
function receive(mediaType: string, json: unknown): Record<string, unknown>[] | null {
  const logged: Record<string, unknown>[] = [];
  const reports = new PolicyReports({
    env: { appOrigin: ORIGIN },
    log: createLog('warn', { write: (line) => void logged.push(JSON.parse(line)) }),
    clock: () => 0,
    metrics: { policyViolated: (directive) => void counted.push(directive) },
  });
  return reports.receive(mediaType, json) ? logged : null;
}

let counted: string[] = [];
beforeEach(() => {
  counted = [];
});

const parseDeprecated = (changes: object) => receive('application/csp-report', deprecated(changes));
const parse = (json: unknown) => receive('application/reports+json', json);

describe('a report', () => {
  it('of report-uri is reduced to the directive, what was blocked, and the path of the page', () => {
    expect(parseDeprecated({})).toMatchObject([
      { directive: 'script-src-elem', blocked: 'inline', page: '/fr/test-message' },
    ]);
  });

  it('of the Reporting API is reduced to the directive, the blocked origin, and the path of the page', () => {
    expect(parse([reported()])).toMatchObject([
      { directive: 'script-src-elem', blocked: 'https://evil.example:8443', page: '/ar' },
    ]);
  });

  it('may lack an effective directive, as older browsers send it', () => {
    const changes = { 'effective-directive': undefined, 'violated-directive': "img-src 'self' data:" };
    expect(parseDeprecated(changes)).toMatchObject([{ directive: 'img-src' }]);
  });

  it.each([
    ['eval', 'eval'],
    ['data', 'data:'],
    ['data:text/html,secret', 'data:'],
    ['https://ada:secret@evil.example/path?query#part', 'https://evil.example'],
    ['wss://evil.example/socket', 'wss://evil.example'],
    ['ws://evil.example/socket', 'ws://evil.example'],
    ['http://evil.example/run.js', 'http://evil.example'],
    ['xhttps://secret/', 'xhttps:'],
    ['https://evil.example/my-extension:1', 'https://evil.example'],
    ['mailto:ada@example.com', 'mailto:'],
    ['', 'other'],
    ['not a URL: secret', 'other'],
    [null, 'other'],
    [`https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/`, `https://${'a'.repeat(60)}.${'b'.repeat(31)}`],
  ])('with the blocked address %j names %j', (blocked, name) => {
    expect(parseDeprecated({ 'blocked-uri': blocked })).toMatchObject([{ blocked: name }]);
    expect(parse([reported({ blockedURL: blocked })])).toMatchObject([{ blocked: name }]);
  });

  it('with an unknown directive is counted as other', () => {
    for (const directive of ['made-up', '', '__proto__', 'script-src secret']) {
      expect(parseDeprecated({ 'effective-directive': directive, 'violated-directive': '' })).toMatchObject([
        { directive: 'other' },
      ]);
    }
  });

  it('has a path of limited length', () => {
    const page = parseDeprecated({ 'document-uri': `${ORIGIN}/${'a'.repeat(5000)}` })?.[0]?.page;
    expect(page).toHaveLength(200);
  });
});

describe('left out are', () => {
  it.each(['chrome-extension', 'moz-extension://abc/run.js', 'safari-web-extension://abc'])(
    'violations of browser extensions: %s',
    (address) => {
      expect(parseDeprecated({ 'blocked-uri': address })).toEqual([]);
      expect(parseDeprecated({ 'source-file': address })).toEqual([]);
      expect(parse([reported({ blockedURL: address }), reported({ sourceFile: address })])).toEqual([]);
      expect(counted).toEqual([]);
    },
  );

  it.each(['about', 'about:blank', 'https://other.example/', 'http://site.example/', 'data:,', ''])(
    'documents that are no page of the site: %j',
    (address) => {
      expect(parseDeprecated({ 'document-uri': address })).toEqual([]);
      expect(parse([reported({ documentURL: address })])).toEqual([]);
    },
  );

  it('reports of other types, and those after the twentieth', () => {
    const other = { age: 1, type: 'deprecation', url: ORIGIN, body: { id: 'x' } };
    expect(parse([other, reported(), other])).toHaveLength(1);
    expect(parse([other, { type: 'without a body' }])).toEqual([]);
    counted = [];
    expect(parse(Array.from({ length: 50 }, () => reported()))).toHaveLength(1);
    expect(counted, 'each is counted, and one kind is logged once').toHaveLength(20);
  });
});

it.each([
  undefined,
  null,
  {},
  { 'csp-report': [] },
  { 'csp-report': { 'document-uri': 1 } },
  [{ type: 1 }],
  [{ type: 'csp-violation' }],
  [{ type: 'csp-violation', body: { documentURL: `${ORIGIN}/` } }],
])('%j is no report', (json) => {
  expect(receive('application/csp-report', json)).toBeNull();
  expect(parse(json)).toBeNull();
});

// threat-model: T-074
it('each kind is logged once an hour, and at most a hundred kinds', () => {
  const lines: unknown[] = [];
  let now = 0;
  const reports = new PolicyReports({
    env: { appOrigin: ORIGIN },
    log: createLog('warn', { write: (line) => void lines.push(JSON.parse(line).msg) }),
    clock: () => now,
    metrics: { policyViolated: () => {} },
  });
  const send = (page: number) =>
    reports.receive('application/csp-report', deprecated({ 'document-uri': `${ORIGIN}/${page}` }));
  for (const page of [1, 1, 2]) send(page);
  expect(lines).toHaveLength(2);
  for (let page = 0; page < 200; page++) send(page);
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe('further policy violations of this hour are only counted');
  now = 60 * 60 * 1000;
  send(1);
  expect(lines).toHaveLength(102);
});
