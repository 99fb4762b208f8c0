import { expect, it } from 'vitest';
import { createMetrics } from '../../../../app/server/metrics/metrics.ts';

it('counts requests by route, by the methods of the site or “other”, and by class of status', async () => {
  const { metrics, registry } = await createMetrics();
  const requests = [
    { route: 'preferences', method: 'POST', status: 303 },
    { route: 'preferences', method: 'POST', status: 303 },
    { route: null, method: 'HEAD', status: 200 },
    { route: null, method: 'PROPFIND', status: 405 },
    { route: null, method: 'X-INVENTED-BY-A-CLIENT', status: 405 },
  ];
  for (const request of requests) metrics.requestEnded({ ...request, ms: 1 });
  const text = await registry.metrics();
  const counts = [...text.matchAll(/^tenfold_request_seconds_count\{(.*)\} (\d+)$/gm)];
  expect(counts.map(([, labels, count]) => [labels, Number(count)])).toEqual([
    ['route="preferences",method="POST",status="3xx"', 2],
    ['route="none",method="HEAD",status="2xx"', 1],
    ['route="none",method="other",status="4xx"', 2],
  ]);
});
