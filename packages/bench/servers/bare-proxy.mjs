// A reverse proxy of `node:http` alone, over keep-alive connections. Argument: the URL of the upstream.
import { Agent, createServer, request as httpRequest } from 'node:http';

const upstream = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: 128 });
const server = createServer((request, response) => {
  const forwarded = httpRequest(
    upstream,
    { agent, method: request.method, headers: { ...request.headers, host: upstream.host } },
    (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    },
  );
  forwarded.on('error', () => response.writeHead(502).end());
  request.pipe(forwarded);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
