/** How the JSON routes describe and log requests that fail. */
import { describe, expect, it } from 'vitest';
import * as icons from '../../../app/resources/api.icons.ts';
import * as identity from '../../../app/resources/api.identity.ts';
import { UpstreamError } from '../../../packages/upstream/src/upstream-error.ts';
import { resourceRequest } from '../../support/http/resource-context.ts';

const failure = new UpstreamError('identity-pool', 'NetworkError', 'A network error has occurred.');
const bug = new RangeError('a bug');

async function describeRejection(response: Response) {
  const { code, detail } = await response.json();
  return [response.status, code, detail];
}

describe('the icon route', () => {
  async function get(path: string, file?: string, error?: Error) {
    const lines: string[] = [];
    const args = await resourceRequest(path, {}, {}, (line) => void lines.push(line));
    const collection = error ? () => Promise.reject(error) : args.context.icons.collection;
    const context = { ...args.context, icons: { ...args.context.icons, collection } };
    const response = await icons.loader({ ...args, context, params: { file } });
    return { response, logged: lines.map((line) => JSON.parse(line)) };
  }

  it.each(['lucide', 'lucide.json.txt', 'a\nlucide.json'])(
    'knows no collection in the file %j',
    async (file) => {
      const { response } = await get('/api/icons/x?icons=globe', file);
      const message = 'There is no such collection.';
      expect(await describeRejection(response)).toEqual([404, 'UnknownCollection', message]);
    },
  );

  it('says how to name icons', async () => {
    const { response } = await get('/api/icons/lucide.json', 'lucide.json');
    const message = 'Name icons in the query: ?icons=a,b';
    expect(await describeRejection(response)).toEqual([400, 'BadIcons', message]);
  });

  it('accepts names of 2,000 characters together', async () => {
    const statusFor = async (length: number) => {
      const names = 'globe,'.repeat(400).slice(0, length);
      return (await get(`/api/icons/lucide.json?icons=${names}`, 'lucide.json')).response.status;
    };
    expect([await statusFor(1999), await statusFor(2000), await statusFor(2001)]).toEqual([200, 200, 400]);
  });

  it('logs a failure of the icon API with the collection', async () => {
    const { response, logged } = await get('/api/icons/mdi.json?icons=home', 'mdi.json', failure);
    expect(response.status).toBe(502);
    expect(logged).toMatchObject([
      {
        level: 'warn',
        msg: 'icons not loaded',
        requestId: 'request-1',
        collection: 'mdi',
        err: { code: 'NetworkError' },
      },
    ]);
  });

  it('throws every other error', async () => {
    await expect(get('/api/icons/mdi.json?icons=home', 'mdi.json', bug)).rejects.toBe(bug);
  });
});

describe('the identity route', () => {
  async function get(error: Error, init: RequestInit = {}) {
    const lines: string[] = [];
    const args = await resourceRequest('/api/identity', init, {}, (line) => void lines.push(line));
    const identityOf = () => Promise.reject(error);
    const context = { ...args.context, guests: { ...args.context.guests, identityOf } };
    return { response: await identity.loader({ ...args, context }), lines };
  }

  it('rejects requests of other sites', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const { response } = await get(failure, { headers });
    const message = 'Only pages of this site may call this API.';
    expect(await describeRejection(response)).toEqual([403, 'ForeignOrigin', message]);
  });

  it.each([{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }])(
    'serves requests with %j, and logs a failure',
    async (headers: Record<string, string>) => {
      const { response, lines } = await get(failure, { headers });
      expect(response.status).toBe(502);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { msg: 'identity lookup failed', requestId: 'request-1', err: { code: 'NetworkError' } },
      ]);
    },
  );

  it('responds with 499, and logs nothing, when the visitor has left', async () => {
    const { response, lines } = await get(bug, { signal: AbortSignal.abort() });
    expect([response.status, lines]).toEqual([499, []]);
  });

  it('throws every other error', async () => {
    await expect(get(bug)).rejects.toBe(bug);
  });

  it('sends an identity as JSON', async () => {
    const args = await resourceRequest('/api/identity');
    const context = { ...args.context, guests: { ...args.context.guests, identityOf: async () => 'id' } };
    const response = await identity.loader({ ...args, context });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ identityId: 'id', guest: true });
  });
});

it.each([
  ['icons', icons.action],
  ['the identity', identity.action],
])('the route of %s rejects posts', async (_what, action) => {
  const response = action(await resourceRequest('/api/x', { method: 'POST' }));
  expect(response.headers.get('allow')).toBe('GET, HEAD');
  expect(await describeRejection(response)).toEqual([405, 'MethodNotAllowed', 'Use GET.']);
});
