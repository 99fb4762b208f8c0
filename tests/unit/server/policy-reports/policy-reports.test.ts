import { describe, expect, it } from 'vitest';
import { bodyTooLarge } from '~/server/http/rejection.ts';
import { createLog } from '~/server/observability/log.ts';
import { createPolicyReports } from '~/server/policy-reports/policy-reports.ts';
import { createPolicyReportsStep } from '~/server/policy-reports/policy-reports-step.ts';
import { sendRaw } from '../../../support/http/raw-request.ts';
import { serveSteps } from '../../../support/http/step-server.ts';

const ORIGIN = 'https://site.example';
const DEPRECATED = 'application/csp-report';
const LIMIT = 32 * 1024;

const deprecated = JSON.stringify({
  'csp-report': {
    'document-uri': `${ORIGIN}/fr`,
    'effective-directive': 'script-src',
    'blocked-uri': 'inline',
  },
});
const reported = JSON.stringify(
  ['img-src', 'font-src'].map((effectiveDirective) => ({
    type: 'csp-violation',
    body: { documentURL: `${ORIGIN}/fr`, effectiveDirective, blockedURL: 'data:,' },
  })),
);

/** Sends a report to a new process. Returns the rejection, what was counted, and what was logged. */
async function receive(body: string, type: string | null = DEPRECATED, method = 'POST') {
  const counted: string[] = [];
  const logged: Record<string, unknown>[] = [];
  let readUpTo: number | null = null;
  const reports = createPolicyReports({
    env: { appOrigin: ORIGIN },
    log: createLog('info', { write: (line) => void logged.push(JSON.parse(line)) }),
    clock: () => 0,
    metrics: { policyViolated: (directive) => void counted.push(directive) },
  });
  const rejection = await reports.receive({
    method,
    headers: new Headers(type === null ? {} : { 'content-type': type }),
    async readBody(maxBytes) {
      readUpTo = maxBytes;
      const bytes = new TextEncoder().encode(body);
      return bytes.length > maxBytes ? bodyTooLarge(maxBytes) : bytes;
    },
  });
  return { rejection, counted, logged, readUpTo };
}

describe('a report', () => {
  it('is counted by its directive and logged', async () => {
    const { rejection, counted, logged } = await receive(deprecated);
    expect(rejection).toBeNull();
    expect(counted).toEqual(['script-src']);
    expect(logged).toMatchObject([{ directive: 'script-src', blocked: 'inline', page: '/fr' }]);
  });

  it('may have several violations in the newer format', async () => {
    const { rejection, counted, logged } = await receive(reported, 'application/reports+json');
    expect([rejection, counted, logged.length]).toEqual([null, ['img-src', 'font-src'], 2]);
  });

  it.each(['Application/CSP-Report', 'application/csp-report ; charset=utf-8'])(
    'is accepted with the content type %s',
    async (type) => {
      expect((await receive(deprecated, type)).rejection).toBeNull();
    },
  );

  const wrongMethod = { status: 405, code: 'MethodNotAllowed', headers: { allow: 'POST' } };
  const unsupported = { status: 415, code: 'UnsupportedMediaType' };
  const malformed = { status: 400, code: 'MalformedReport' };
  const tooLarge = { status: 413, code: 'BodyTooLarge' };

  it.each<[what: string, body: string, type: string | null, rejection: object, method?: string]>([
    ['another method', deprecated, DEPRECATED, wrongMethod, 'GET'],
    ['no content type', deprecated, null, unsupported],
    ['another content type', deprecated, 'application/json', unsupported],
    ['the content type of the other format', deprecated, 'application/reports+json', malformed],
    ['a body that is no JSON', '{', DEPRECATED, malformed],
    ['a body of more than 32 KiB', ' '.repeat(LIMIT + 1), DEPRECATED, tooLarge],
  ])('with %s is rejected, and nothing is counted', async (_what, body, type, rejection, method) => {
    expect(await receive(body, type, method)).toMatchObject({ rejection, counted: [], logged: [] });
  });

  it('is accepted with 32 KiB', async () => {
    const text = deprecated;
    const { rejection, readUpTo } = await receive(text + ' '.repeat(LIMIT - text.length));
    expect([rejection, readUpTo]).toEqual([null, LIMIT]);
  });
});

describe('the address of reports', () => {
  /** Sends a request to a site whose limit has `left` reports left. */
  async function send(path: string, left: number) {
    const routeIds: (string | null)[] = [];
    const received: string[] = [];
    const server = await serveSteps(() => [
      createPolicyReportsStep({
        policyReports: {
          async receive(request) {
            const body = String(await request.readBody(10));
            received.push(`${request.method} ${request.headers.get('content-type')} ${body}`);
            return body === 'bad' ? { status: 400, code: 'MalformedReport' } : null;
          },
        },
        limitRate: async (routeId) => {
          routeIds.push(routeId);
          return left > 0 ? 0 : 1000;
        },
        addressOf: () => '192.0.2.1',
        reject: (_exchange, { status, code }) => ({ status, headers: {}, body: code }),
      }),
    ]);
    const body = path.endsWith('bad') ? 'bad' : 'good';
    const headers = { 'content-type': DEPRECATED, 'content-length': String(body.length) };
    const { status, body: text } = await sendRaw(server.origin, { method: 'POST', path, headers, body });
    server.close();
    return { status, text, routeIds, received };
  }

  it('answers an accepted report with 204, under a route id of its own', async () => {
    expect(await send('/csp-reports', 1)).toEqual({
      status: 204,
      text: '',
      routeIds: ['csp-reports'],
      received: [`POST ${DEPRECATED} good`],
    });
  });

  it('answers a rejected report with the rejection', async () => {
    expect(await send('/csp-reports?bad', 1)).toMatchObject({ status: 400, text: 'MalformedReport' });
  });

  it('does not read a report beyond the limit of its sender', async () => {
    expect(await send('/csp-reports', 0)).toMatchObject({ status: 429, received: [] });
  });

  it('is the only one', async () => {
    expect(await send('/csp-reports/x', 1)).toMatchObject({ status: 404, routeIds: [], received: [] });
  });
});
