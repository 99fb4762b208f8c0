/** The site's metrics. No label contains anything that a visitor sent, so that the number of series is bounded. */
import type { SessionMetrics } from '@tenfold/cognito-session';
import type { ServerMetrics } from '@tenfold/site-server';
import type { Registry } from 'prom-client';

/** A `service` is an upstream, or `rendering`: the rendering of pages is limited in the same way. */
export type Metrics = SessionMetrics &
  ServerMetrics & {
    sessionOpened(state: 'anonymous' | 'signed-in' | 'ended'): void;
    rateLimited(limit: string): void;
    /** A reported violation of the Content-Security-Policy, by one of its directives. */
    policyViolated(directive: string): void;
  };

/** Counts nothing: for sites without a metrics port. */
export const noMetrics: Metrics = {
  requestEnded() {},
  sessionOpened() {},
  refreshEnded() {},
  retried() {},
  circuitChanged() {},
  shed() {},
  rejected() {},
  rateLimited() {},
  policyViolated() {},
  logLineDropped() {},
};

const METHODS = new Set(['GET', 'HEAD', 'POST']);

const REQUEST_SECONDS = {
  name: 'tenfold_request_seconds',
  help: 'Requests and how long they took, by route, method and class of status',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

/**
 * Creates metrics with the prefix `tenfold_`, together with Node's own, in a registry that can be serialized. The
 * library is loaded here, so that a site without metrics starts without it.
 */
export async function createMetrics(): Promise<{ metrics: Metrics; registry: Registry }> {
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const counter = <Label extends string>(name: string, help: string, label: Label) => {
    const counts = new Counter({ name: `tenfold_${name}_total`, help, labelNames: [label], registers });
    return (value: string) => counts.labels(value).inc();
  };
  const seconds = new Histogram({ ...REQUEST_SECONDS, registers });
  const circuits = new Gauge({
    name: 'tenfold_circuit_open',
    help: '1 while the circuit breaker of an upstream is open',
    labelNames: ['service'],
    registers,
  });

  const metrics: Metrics = {
    requestEnded({ route, method, status, ms }) {
      const knownMethod = METHODS.has(method) ? method : 'other';
      seconds.labels(route ?? 'none', knownMethod, `${Math.floor(status / 100)}xx`).observe(ms / 1000);
    },
    sessionOpened: counter('session_opens', 'Sessions opened, by state', 'state'),
    refreshEnded: counter('refreshes', 'Refreshes of sessions, by outcome', 'outcome'),
    retried: counter('retries', 'Calls to an upstream that were retried', 'service'),
    circuitChanged: (service, isOpen) => circuits.labels(service).set(isOpen ? 1 : 0),
    shed: counter('shed_calls', 'Calls rejected because a queue was full', 'service'),
    rejected: counter('rejections', 'Rejected requests by code', 'code'),
    rateLimited: counter('rate_limited', 'Requests over a rate limit, by the limit', 'limit'),
    policyViolated: counter(
      'policy_violations',
      'Violations of the Content-Security-Policy that browsers reported',
      'directive',
    ),
    logLineDropped: counter('log_lines_dropped', 'Log lines that could not be written, by reason', 'reason'),
  };
  return { metrics, registry };
}
