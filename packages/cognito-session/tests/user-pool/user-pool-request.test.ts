import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Script, startUpstream } from '../../../../tests/support/upstreams/scripted-upstream.ts';
import { post } from '../../src/user-pool/user-pool-request.ts';

const never = new AbortController().signal;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Collects the garbage while a request of 100 ms is under way: Node 20 can lose a timeout with it. */
async function collectRepeatedly(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await delay(20);
    collectGarbage();
  }
}

describe('a request to the user pool', () => {
  it.each<[string, Script]>([
    ['never responds', () => {}],
    ['never completes its response', (response) => void response.writeHead(200).write('{')],
  ])('is aborted with a TimeoutError when the user pool %s', async (_what, script) => {
    const upstream = await startUpstream(script);
    const collecting = collectRepeatedly();
    await expect(post('user-pool', upstream.url, '{}', never, {}, 1000)).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'user-pool',
      code: 'TimeoutError',
    });
    await collecting;
    await upstream.clientDisconnected;
  });

  it('is a POST with the given headers and body', async () => {
    let method: string | undefined;
    const upstream = await startUpstream((response, _, request) => {
      method = request.method;
      response.end('{}');
    });
    const response = await post('user-pool', upstream.url, 'a=b', never, { 'x-amz-target': 'Operation' });
    expect(response).toMatchObject({ status: 200, ok: true, text: '{}' });
    expect(method).toBe('POST');
    expect(upstream.received).toMatchObject([{ headers: { 'x-amz-target': 'Operation' }, body: 'a=b' }]);
  });

  it.each([300, 399])('follows no redirect: %i', async (status) => {
    const upstream = await startUpstream((response) => {
      response.writeHead(status, { location: upstream.url }).end();
    });
    await expect(post('user-pool', upstream.url, '{}', never, {})).rejects.toMatchObject({
      name: 'UpstreamError',
      code: 'NetworkError',
      cause: { message: 'Redirects are not followed.' },
    });
    expect(upstream.received).toHaveLength(1);
  });
});
