/** The job of tests/example/job: what it sends, and with whose signature. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { signRequest } from '../../../packages/appsync-proxy/src/signing/signing.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';

const run = promisify(execFile);
const credentials = { accessKeyId: 'AKIAHOST', secretAccessKey: 'of the host', sessionToken: 'session' };

it('counts all records of a feed, with requests that the role of the host has signed', async () => {
  const requests: { signature: string; expected: string; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { host = '', authorization = '', 'x-amz-date': date, ...received } = request.headers;
    const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? [];
    const names = signed.split(';').filter((name) => !/^(?:host|x-amz-(?:date|security-token))$/.test(name));
    const headers = Object.fromEntries(names.map((name) => [name, String(received[name])]));
    const time = String(date).replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z');
    const again = await signRequest({
      method: 'POST',
      url: new URL(`http://${host}/`),
      headers,
      body,
      region: 'eu-central-1',
      service: 'dynamodb',
      credentials,
      signingDate: new Date(time),
    });
    requests.push({ signature: authorization, expected: again.authorization ?? '', body: JSON.parse(body) });
    const isFirst = requests.length === 1;
    response.end(JSON.stringify(isFirst ? { Count: 2, LastEvaluatedKey: { id: { S: 'a' } } } : { Count: 3 }));
  });
  const origin = await listenOnLoopback(server);
  try {
    const { stdout } = await run(
      'node_modules/.bin/tsx',
      ['--conditions=@tenfold/source', 'tests/example/job/count-records.ts'],
      {
        env: {
          ...process.env,
          TABLE: 'records',
          FEED: 'recipes',
          AWS_REGION: 'eu-central-1',
          AWS_ENDPOINT_URL_DYNAMODB: `${origin}/`,
          AWS_ACCESS_KEY_ID: credentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
          AWS_SESSION_TOKEN: credentials.sessionToken,
        },
      },
    );
    expect(stdout).toBe('recipes: 5\n');
  } finally {
    await closeServer(server);
  }
  expect(requests.map(({ signature }) => signature)).toEqual(requests.map(({ expected }) => expected));
  expect(requests.map(({ body }) => body.ExclusiveStartKey)).toEqual([undefined, { id: { S: 'a' } }]);
  expect(requests[0]?.body).toMatchObject({
    TableName: 'records',
    ExpressionAttributeValues: { ':feed': { S: 'recipes' } },
  });
});
