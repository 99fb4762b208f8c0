/** Receives the reports that browsers send when a document violates its Content-Security-Policy. */
import type { Env } from '../config/env.ts';
import type { HeaderReader } from '../http/exchange.ts';
import type { Rejection } from '../http/rejection.ts';
import { isRejected } from '../http/request-body.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Clock } from '../resilience/clock.ts';
import { parseJson } from '../resilience/upstream-response.ts';
import { parsePolicyReports } from './policy-report.ts';
import { ViolationLog } from './violation-log.ts';

/** A report has 1 to 2 kB; browsers send several in one request. */
const MAX_REPORT_BYTES = 32 * 1024;

type PolicyReportRequest = {
  method: string;
  headers: HeaderReader;
  /** Reads the whole body, or returns why it is rejected. */
  readBody(maxBytes: number): Promise<Uint8Array | Rejection>;
};

/**
 * Counts and logs the violations in a request, or returns why it is rejected: 405, 415, 413, or 400 for a body that is no
 * report. Nothing that identifies a visitor is read: no address, cookie, user agent, referrer or sample.
 */
export type PolicyReports = { receive(request: PolicyReportRequest): Promise<Rejection | null> };

type PolicyReportsDeps = {
  env: Pick<Env, 'appOrigin'>;
  log: Log;
  clock: Clock;
  metrics: Pick<Metrics, 'policyViolated'>;
};

/** Creates the receiver of a process. Its memory is bounded, and so is the number of lines that it logs. */
export function createPolicyReports({ env, log, clock, metrics }: PolicyReportsDeps): PolicyReports {
  const violationLog = new ViolationLog({ log, clock });
  return {
    async receive(request) {
      const { method, headers } = request;
      if (method !== 'POST') return { status: 405, code: 'MethodNotAllowed', headers: { allow: 'POST' } };
      const mediaType = mediaTypeOf(headers);
      if (!mediaType) return { status: 415, code: 'UnsupportedMediaType' };
      const body = await request.readBody(MAX_REPORT_BYTES);
      if (isRejected(body)) return body;
      const json = parseJson(new TextDecoder().decode(body));
      const violations = parsePolicyReports(mediaType, json, env.appOrigin);
      if (!violations) return { status: 400, code: 'MalformedReport' };
      for (const violation of violations) {
        metrics.policyViolated(violation.directive);
        violationLog.add(violation);
      }
      return null;
    },
  };
}

function mediaTypeOf(headers: HeaderReader): 'application/csp-report' | 'application/reports+json' | null {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/csp-report' || type === 'application/reports+json' ? type : null;
}
