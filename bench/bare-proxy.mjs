// What the proxy is compared with: a reverse proxy of `node:http` alone, over kept connections to the same upstream.
import { Agent, createServer, request as httpRequest } from 'node:http';

const upstream = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: 128 });
const server = createServer((request, response) => {
  const passed = httpRequest(
    upstream,
    { agent, method: request.method, headers: { ...request.headers, host: upstream.host } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  passed.on('error', () => response.writeHead(502).end());
  request.pipe(passed);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
