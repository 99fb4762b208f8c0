/** A server process with graceful shutdown that fails on request. It prints its port. */
import { createServer } from 'node:http';
import { Connections } from '../../../app/server/http/connections.ts';
import { EventStreams } from '../../../app/server/http/event-streams.ts';
import { installGracefulShutdown } from '../../../app/server/http/graceful-shutdown.ts';
import { createLog } from '../../../app/server/observability/log.ts';
import { noMetrics } from '../../../app/server/observability/metrics.ts';

const SECRET = 'eyJhbGciOiJSUzI1NiJ9.c2VjcmV0LWNsYWltcy1vZi1hLXRva2Vu.c2lnbmF0dXJlLW9mLWEtdG9rZW4';

const server = createServer();
const log = createLog('info');
const eventStreams = new EventStreams();
let openStreams = 0;
const connections = new Connections(server, {
  log,
  metrics: noMetrics,
  areAddressesVisitors: true,
  eventStreams,
});
const { isDraining } = installGracefulShutdown(server, {
  connections,
  eventStreams,
  stopServices: async () => log.info({ openStreams }, 'services stopped'),
  log,
  noticeMs: Number(process.env.NOTICE_MS),
});
connections.serve((request, response) => {
  if (isDraining()) response.setHeader('connection', 'close');
  switch (request.url) {
    case '/slow':
      setTimeout(() => response.end('slow'), 1000);
      return;
    case '/events':
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
      eventStreams.add(response);
      openStreams += 1;
      response.once('close', () => {
        openStreams -= 1;
      });
      return;
    case '/endless':
      response.write('This response never ends.');
      return;
    case '/exception':
      setImmediate(() => {
        JSON.parse(SECRET);
      });
      break;
    case '/rejection':
      void Promise.reject(new TypeError(`cannot read ${SECRET}`));
      break;
  }
  response.end('ok');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`port ${address.port}\n`);
});
