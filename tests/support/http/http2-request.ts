/** Single HTTP/2 requests over TLS, with the body as on the wire. */
import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { buffer } from 'node:stream/consumers';

export type Http2Response = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Sends a GET request on a connection of its own. `certificate` is the authority that the client trusts. */
export async function getOverHttp2(
  origin: string,
  certificate: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Http2Response> {
  const session = connect(origin, { ca: certificate });
  // An error ends the stream too, which rejects below. After the response, a reset of the connection is no failure.
  session.on('error', () => {});
  try {
    const stream = session.request({ ':path': path, ...headers });
    const [received] = await once(stream, 'response');
    return { status: Number(received[':status']), headers: received, body: await buffer(stream) };
  } finally {
    session.close();
  }
}
