/** `POST /csp-reports` as a step of the pipeline: a flood of reports costs a fraction of Remix's work. */
import type { Rejection } from '../http/error-response.ts';
import type { Exchange, SiteResponse, Step } from '../http/exchange.ts';
import { readBody } from '../http/request-body.ts';
import { POLICY_REPORTS_PATH } from '../http/response-head.ts';
import type { PolicyReports } from './policy-reports.ts';

type PolicyReportsStepOptions = {
  reports: PolicyReports;
  /** Counts a report against the limit of its sender's address. Returns the rejection when nothing is left. */
  limit: (exchange: Exchange) => Promise<Rejection | null>;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/** A step that responds to reports with 204. It opens no session: reports are limited by address. */
export function createPolicyReportsStep({ reports, limit, reject }: PolicyReportsStepOptions): Step {
  const receive = async (exchange: Exchange): Promise<SiteResponse> => {
    exchange.routeId = POLICY_REPORTS_PATH.slice(1);
    const { method, headers, request } = exchange;
    const rejection =
      (await limit(exchange)) ??
      (await reports.receive({ method, headers, readBody: (maxBytes) => readBody(request, maxBytes) }));
    return rejection ? reject(exchange, rejection) : { status: 204, headers: {} };
  };
  return (exchange) => (exchange.path === POLICY_REPORTS_PATH ? receive(exchange) : null);
}
