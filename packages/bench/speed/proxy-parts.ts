/** What the GraphQL proxy does besides forwarding a call, each part measured alone in this process. */

import { readChunkedCookie } from '../../../app/server/cookies/chunked-cookie.ts';
import { cookieName, createCookieSealer } from '../../../app/server/cookies/sealed-cookie.ts';
import { checkOperation } from '../../../app/server/graphql-proxy/operation-check.ts';
import { createTrustedDocuments } from '../../../app/server/graphql-proxy/trusted-documents.ts';
import { signRequest } from '../../../app/server/signing/signing.ts';
import { shippedQuery } from '../../../tests/support/http/shipped-operations.ts';
import { SESSION_SECRET, sessionCookies } from '../load/session-cookies.ts';
import { type Spread, spread } from '../load/statistics.ts';

const NAME = cookieName('session', false);
const ROUNDS = 15;
const TIMES = 400;

export const credentials = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE12',
  secretAccessKey: 'x'.repeat(40),
  sessionToken: 'y'.repeat(900),
};

/** Microseconds of each part, for the session in the `Cookie` header `cookie`. */
export async function measureProxyParts(cookie: string): Promise<Record<string, Spread>> {
  const sealer = createCookieSealer([SESSION_SECRET], NAME);
  const request = { headers: new Headers({ cookie }) };
  const value = readChunkedCookie(request, NAME) ?? '';
  const body = JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName });
  const trusted = createTrustedDocuments([shippedQuery.query]);
  const unsigned = {
    method: 'POST',
    url: new URL('https://api.example.com/graphql'),
    headers: { 'content-type': 'application/json' },
    body,
    region: 'us-east-1',
    service: 'appsync',
    credentials,
  };
  return {
    'opening a session cookie for the first time': await microseconds(() => sealer.open(value, Date.now())),
    'opening a session cookie again': await microseconds(() => sessionCookies.read(request)),
    'parsing and checking the operation': await microseconds(async () => checkOperation(body, { trusted })),
    'signing the call': await microseconds(() => signRequest({ ...unsigned, signingDate: new Date() })),
  };
}

async function microseconds(action: () => Promise<unknown>): Promise<Spread> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (let time = 0; time < TIMES; time++) await action();
    rounds.push(((performance.now() - startedAt) * 1000) / TIMES);
  }
  // In the first rounds the code is still being compiled.
  return spread(rounds.slice(ROUNDS / 3));
}
