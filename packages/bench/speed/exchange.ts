/** Single requests whose response is read completely. */
import { type Agent, request as httpRequest } from 'node:http';
import type { BenchRequest } from '../load/http-request.ts';

export type Received = {
  /** Names and values in turn, as received. */
  rawHeaders: readonly string[];
  /** As on the wire, in its content coding. */
  body: Buffer;
};

/** Sends a request to a port of this machine. Rejects when the status is not 200. */
export function sendRequest(port: number, request: BenchRequest, agent?: Agent): Promise<Received> {
  const { method = 'GET', path, host, headers, body } = request;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname: '127.0.0.1', port, method, path, headers: { host, ...headers }, agent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const received = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve({ rawHeaders: response.rawHeaders, body: received });
          else reject(new Error(`Status ${response.statusCode} for ${path}: ${received}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
