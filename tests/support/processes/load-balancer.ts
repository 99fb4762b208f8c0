/** A round-robin load balancer for the processes of a fleet. */
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** Returns the header that makes the load balancer send a request to one machine, by its index. */
export const machineHeader = (index: number) => ({ 'x-machine': String(index) });

/** Above the site's own limit, so that the site rejects oversized heads. */
const MAX_HEADER_SIZE = 64 * 1024;

/** Longer than the site's own timeout, which it announces in `Keep-Alive`. */
const KEEP_ALIVE_MS = 120_000;

/** Returns a server that forwards requests to the ports in turn. Ports may be added after it has started. */
export function createLoadBalancer(ports: readonly number[]): Server {
  const forward = createForwarder(ports);
  return createServer({ maxHeaderSize: MAX_HEADER_SIZE, keepAliveTimeout: KEEP_ALIVE_MS }, forward).on(
    'checkExpectation',
    forward,
  );
}

function createForwarder(ports: readonly number[]) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const machine = incoming.headers['x-machine'];
    const port = ports[Number(machine ?? turn++) % ports.length];
    const { url: path = '/', method = 'GET' } = incoming;
    const headers = { ...incoming.headers, 'x-forwarded-for': forwardedFor(incoming) };
    const options = { host: '127.0.0.1', port, path, method, headers, agent };
    const forwarded = httpRequest(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      response.on('end', () => {
        // The site may respond before the body is complete. The rest of the body is then discarded.
        if (forwarded.writableFinished) return;
        incoming.unpipe(forwarded).resume();
        forwarded.destroy();
      });
    });
    forwarded.on('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502).end();
      else if (!outgoing.writableEnded) outgoing.destroy();
    });
    // A disconnected client aborts the request to the site.
    outgoing.on('close', () => outgoing.writableFinished || forwarded.destroy());
    // The head is sent at once because the site may respond to it without waiting for the body.
    forwarded.flushHeaders();
    incoming.pipe(forwarded);
  };
}

function forwardedFor({ headers, socket }: IncomingMessage): string {
  return [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
}
