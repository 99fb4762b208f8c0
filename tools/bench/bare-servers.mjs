// The servers that the site is compared with, of `node:http` alone, and the upstream of the proxies. Arguments: the kind
// and what it needs. Each sends its address over IPC when it listens.
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';

const kinds = {
  /**
   * Sends one response again and again.
   * @param {string} file with the head, as names and values in turn, and the body in base64
   */
  page(file) {
    const { head, body } = JSON.parse(readFileSync(file, 'utf8'));
    const bytes = Buffer.from(body, 'base64');
    return createServer((_request, response) => {
      response.writeHead(200, head);
      response.end(bytes);
    });
  },

  /** @param {string} url of the upstream */
  proxy(url) {
    const upstream = new URL(url);
    const agent = new Agent({ keepAlive: true, maxSockets: 128 });
    return createServer((request, response) => {
      const options = { agent, method: request.method, headers: { ...request.headers, host: upstream.host } };
      const forwarded = httpRequest(upstream, options, (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      });
      forwarded.on('error', () => response.writeHead(502).end());
      request.pipe(forwarded);
    });
  },

  /** @param {string} body of the response to every operation */
  'data-api'(body) {
    return createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(body);
      });
    });
  },
};

const [kind = '', argument = ''] = process.argv.slice(2);
const server = kinds[/** @type {keyof typeof kinds} */ (kind)](argument);
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
