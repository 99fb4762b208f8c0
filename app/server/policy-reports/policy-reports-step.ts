/** `POST /csp-reports` as a step of the pipeline: a flood of reports costs a fraction of Remix's work. */
import type { IncomingMessage } from 'node:http';
import type { Exchange, SiteResponse, Step } from '../http/exchange.ts';
import type { Rejection } from '../http/rejection.ts';
import { POLICY_REPORTS_PATH } from '../observability/policy-reports-path.ts';
import { type RateLimiter, tooManyRequests } from '../rate-limit/rate-limiter.ts';
import type { PolicyReports } from './policy-reports.ts';

/** Reports are counted by address, for signed-in visitors too, so that no session is opened. */
const ANONYMOUS = { state: 'anonymous' } as const;

type PolicyReportsStepOptions = {
  policyReports: PolicyReports;
  limitRate: RateLimiter;
  addressOf: (request: IncomingMessage) => string;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/** A step that responds to reports with 204. It opens no session: reports are limited by address. */
export function createPolicyReportsStep({
  policyReports,
  limitRate,
  addressOf,
  reject,
}: PolicyReportsStepOptions): Step {
  const routeId = POLICY_REPORTS_PATH.slice(1);
  const receive = async (exchange: Exchange): Promise<SiteResponse> => {
    exchange.routeId = routeId;
    const retryAfterMs = await limitRate(routeId, ANONYMOUS, addressOf(exchange.request));
    const rejection = tooManyRequests(retryAfterMs) ?? (await policyReports.receive(exchange));
    return rejection ? reject(exchange, rejection) : { status: 204, headers: {} };
  };
  return (exchange) => (exchange.path === POLICY_REPORTS_PATH ? receive(exchange) : null);
}
