import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noMetrics } from '../../../../app/server/metrics/metrics.ts';
import {
  type ScriptedResponse,
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { CodeExchanges } from '../../src/user-pool/code-exchange.ts';

const APP_ORIGIN = 'http://localhost:3000';
const MAX_CONCURRENT = 50;
const MAX_WAITING = 2000;
const EXCHANGE_TIMEOUT_MS = 4500;
const CALLERS = 41;
const MAX_CONCURRENT_OF_ONE = 25;
const MAX_WAITING_OF_ONE = 100;

let pool: ScriptedUserPool;

// One for each test: undici would send on connections that the server has closed, because its timers do not run.
beforeEach(async () => {
  pool = await startScriptedUserPool();
  // Deadlines pass only when a test says so, however long its two thousand exchanges take on this machine.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await pool.close();
});

/** The exchanges of one process, and the calls that it rejected because of overload. */
function openExchanges() {
  const shed: string[] = [];
  const metrics = { ...noMetrics, shed: (service: string) => void shed.push(service) };
  const { domain, clientId, clientSecret } = pool.userPool();
  const redirectURI = `${APP_ORIGIN}/auth/callback`;
  const client = { clientId, clientSecret, redirectURI, tokenEndpoint: `${domain}/oauth2/token` };
  const exchanges = new CodeExchanges(metrics);
  return {
    shed,
    /** Redeems `code`. None of the addresses of the visitors reaches its own limits. */
    redeem: (code: string, index: number, caller = `caller-${index % CALLERS}`) =>
      exchanges.exchange(client, { code, codeVerifier: 'verifier' }, caller),
  };
}

/** A token endpoint that delays all responses until `release` is called. */
function delayTokenEndpoint(respond: (code: string) => Promise<ScriptedResponse>) {
  const endpoint = { concurrent: 0, maxConcurrent: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    endpoint.release = resolve;
  });
  pool.script({
    token: async ({ body }) => {
      endpoint.concurrent += 1;
      endpoint.maxConcurrent = Math.max(endpoint.maxConcurrent, endpoint.concurrent);
      await released;
      endpoint.concurrent -= 1;
      return respond(new URLSearchParams(body).get('code') ?? '');
    },
  });
  return endpoint;
}

describe('concurrent code exchanges', () => {
  // threat-model: T-028
  it('run fifty at a time, and every visitor gets the tokens of their code', async () => {
    const { redeem, shed } = openExchanges();
    const endpoint = delayTokenEndpoint(async (code) => ({
      body: { access_token: `token of ${code}`, id_token: 'i', refresh_token: 'r' },
    }));
    const codes = Array.from({ length: MAX_CONCURRENT + 20 }, (_, index) => `code-${index}`);
    const results = codes.map((code, index) => redeem(code, index));
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT);
    // An exchange that does not wait would have reached the endpoint by the time of these responses.
    for (let round = 0; round < 20; round++) await fetch(`${pool.userPool().issuer}/.well-known/jwks.json`);
    endpoint.release();
    const received = (await Promise.all(results)).map((tokens) => tokens.accessToken());
    expect(received).toEqual(codes.map((code) => `token of ${code}`));
    expect(endpoint.maxConcurrent).toBe(MAX_CONCURRENT);
    expect(shed).toEqual([]);
  });

  // threat-model: T-028
  it('are rejected at once when two thousand are waiting', async () => {
    const { redeem, shed } = openExchanges();
    const endpoint = delayTokenEndpoint(async () => ({ status: 400, body: { error: 'invalid_grant' } }));
    const rejections: unknown[] = [];
    const exchanges = Array.from({ length: MAX_CONCURRENT + MAX_WAITING + 3 }, (_, index) =>
      redeem('x', index).catch((error: unknown) => rejections.push(error)),
    );
    await expect.poll(() => rejections.length).toBe(3);
    expect(shed).toEqual(['hosted-login', 'hosted-login', 'hosted-login']);
    for (const error of rejections) expect(error).toMatchObject({ code: 'Overloaded' });
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT);
    // What waits is rejected at its deadline, without a call.
    vi.advanceTimersByTime(EXCHANGE_TIMEOUT_MS);
    await Promise.all(exchanges);
    expect(pool.received.token).toHaveLength(MAX_CONCURRENT);
    expect(shed).toHaveLength(MAX_WAITING + 3);
    endpoint.release();
  });

  // threat-model: T-119
  it('of one address leave places for all others, and wait in a queue of their own', async () => {
    const { redeem, shed } = openExchanges();
    const endpoint = delayTokenEndpoint(async () => ({ status: 400, body: { error: 'invalid_grant' } }));
    const hostile = Array.from({ length: 2200 }, (_, index) =>
      redeem('made-up', index, '192.0.2.1').catch((error: unknown) => error),
    );
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT_OF_ONE);
    expect(shed).toHaveLength(2200 - MAX_CONCURRENT_OF_ONE - MAX_WAITING_OF_ONE);
    const honest = redeem('honest', 2200, '192.0.2.2').catch((error: unknown) => error);
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT_OF_ONE + 1);
    endpoint.release();
    expect(await honest).toMatchObject({ code: 'invalid_grant' });
    await Promise.all(hostile);
  });
});
