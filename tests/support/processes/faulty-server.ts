/** A server process with graceful shutdown that fails on request. It prints its port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { noMetrics } from '../../../app/server/metrics/metrics.ts';
import { Connections } from '../../../packages/site-server/src/connections.ts';
import { EventStreams } from '../../../packages/site-server/src/event-streams.ts';
import { installGracefulShutdown } from '../../../packages/site-server/src/graceful-shutdown.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';

const SECRET = 'eyJhbGciOiJSUzI1NiJ9.c2VjcmV0LWNsYWltcy1vZi1hLXRva2Vu.c2lnbmF0dXJlLW9mLWEtdG9rZW4';

const server = createServer();
const log = createLog('info');
const eventStreams = new EventStreams();
let openStreams = 0;
const connections = new Connections({
  log,
  metrics: noMetrics,
  // A test opens more connections than one visitor may.
  areAddressesVisitors: false,
  eventStreams,
  renderError: () => '',
});
const { isDraining } = installGracefulShutdown(server, {
  connections,
  eventStreams,
  stopServices: async () => log.info({ openStreams }, 'services stopped'),
  log,
  noticeMs: Number(process.env.NOTICE_MS),
});
connections.serve(server, (request, response) => {
  respond(request, response);
  return () => response.destroy();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`port ${address.port}\n`);
});

function respond({ url }: IncomingMessage, response: ServerResponse): void {
  if (isDraining()) response.setHeader('connection', 'close');
  switch (url) {
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
}
