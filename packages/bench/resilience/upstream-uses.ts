/** One request of a visitor for each upstream, and the outcome that is expected while the upstream fails. */
import { shippedQuery } from '../../../tests/support/http/shipped-operations.ts';
import type { SiteVisitor } from '../../../tests/support/sign-in/site-visitor.ts';
import { SIGNED_IN, sessionStateOf } from './visitors.ts';

export type UpstreamUse = {
  service: 'graphql' | 'cognito-identity' | 'cognito-idp';
  /** Who sends the request: a visitor with valid tokens, or one whose tokens have to be refreshed. */
  visitor: 'ready' | 'expiring';
  /** Sends the request and describes the response. */
  request(visitor: SiteVisitor): Promise<string>;
  /** Whether this is the expected outcome while the upstream fails. */
  isExpected(outcome: string): boolean;
  /** The outcome after the failure. */
  recovered: string;
};

/** A call of the GraphQL proxy. */
export const listMessages = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName }),
};

const isClearError = (outcome: string) => /^50[234] with a code$/.test(outcome);

export const upstreamUses: readonly UpstreamUse[] = [
  {
    service: 'graphql',
    visitor: 'ready',
    request: async (visitor) => describeResponse(await visitor.copy().request('/api/graphql', listMessages)),
    isExpected: isClearError,
    recovered: '200',
  },
  {
    service: 'cognito-identity',
    visitor: 'ready',
    // Without a cookie each request is a new guest, for whom no credentials are cached.
    request: async (visitor) =>
      describeResponse(await visitor.copy().request('/api/identity', { headers: { cookie: '' } })),
    isExpected: isClearError,
    recovered: '200',
  },
  {
    service: 'cognito-idp',
    visitor: 'expiring',
    request: (visitor) => sessionStateOf(visitor.copy()),
    isExpected: (outcome) => outcome === SIGNED_IN,
    recovered: SIGNED_IN,
  },
];

function describeResponse({ status, body }: { status: number; body: string }): string {
  return /"errorType":"\w+"/.test(body) ? `${status} with a code` : String(status);
}
