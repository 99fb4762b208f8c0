import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { post } from '../../../../app/server/user-pool/user-pool-request.ts';
import { type Script, startUpstream } from '../../../support/upstreams/scripted-upstream.ts';

const never = new AbortController().signal;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('a request to the user pool', () => {
  it.each<[string, Script]>([
    ['never responds', () => {}],
    ['never completes its response', (response) => void response.writeHead(200).write('{')],
  ])('is aborted with a TimeoutError when the user pool %s', async (_what, script) => {
    const upstream = await startUpstream(script);
    // Node 20 can lose a timeout with the garbage.
    const collecting = setInterval(collectGarbage, 10);
    await expect(post('user-pool', upstream.url, '{}', never, {}, 100)).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'user-pool',
      code: 'TimeoutError',
    });
    clearInterval(collecting);
    await upstream.clientDisconnected;
  });
});
