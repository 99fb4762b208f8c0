import { describe, expect, it } from 'vitest';
import { post, readText } from '../../../../app/server/user-pool/user-pool-request.ts';
import { type Script, startUpstream } from '../../../support/upstreams/scripted-upstream.ts';

const never = new AbortController().signal;

describe('a request to the user pool', () => {
  it.each<[string, Script]>([
    ['never responds', () => {}],
    ['never completes its response', (response) => void response.writeHead(200).write('{')],
  ])('is aborted with a TimeoutError when the user pool %s', async (_what, script) => {
    const upstream = await startUpstream(script);
    const send = async () =>
      readText('user-pool', await post('user-pool', upstream.url, '{}', never, {}, 100));
    await expect(send()).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'user-pool',
      code: 'TimeoutError',
    });
    await upstream.clientDisconnected;
  });
});
