/** `/healthz` reports that the process runs, `/readyz` that it accepts requests. Neither calls an upstream. */
import type { Step } from './exchange.ts';
import type { Lifecycle } from './graceful-shutdown.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** A step for the two health checks. `/readyz` returns 503 while the process shuts down. */
export function createHealthChecks({ isDraining }: Pick<Lifecycle, 'isDraining'>): Step {
  return ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (path === '/healthz') return { status: 200, headers: TEXT, body: 'ok\n' };
    if (path !== '/readyz') return null;
    return isDraining()
      ? { status: 503, headers: TEXT, body: 'draining\n' }
      : { status: 200, headers: TEXT, body: 'ready\n' };
  };
}
