import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyRepository } from '../../../tools/setup/repository-copy.ts';
import { shippedMutation } from '../../support/http/shipped-operations.ts';
import { freePort, startSite } from '../../support/processes/site.ts';
import { signUpVisitor } from '../../support/sign-in/site-visitor.ts';

const BINARY = /\.png$/;

/** Copies the repository as Git does on Windows without `.gitattributes`. */
function copyWithWindowsLineEnds(): string {
  const copy = copyRepository();
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
  for (const file of files) {
    if (file === '' || BINARY.test(file)) continue;
    const path = join(copy, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
  }
  return copy;
}

it('a copy whose lines end as on Windows builds, and a visitor posts', async () => {
  const copy = copyWithWindowsLineEnds();
  const env = { ...process.env, NODE_ENV: 'production' as const };
  execFileSync('node_modules/.bin/remix', ['vite:build', '--logLevel', 'warn'], { cwd: copy, env });
  const { startLocalCloud }: typeof import('../../support/local-cloud.ts') = await import(
    join(copy, 'tests/support/local-cloud.ts')
  );
  const port = await freePort();
  const cloud = await startLocalCloud({ siteOrigins: [`http://localhost:${port}`] });
  const site = await startSite(port, cloud.environment(), copy);
  onTestFinished(async () => {
    await site.stop();
    await cloud.close();
  });
  const agent = new Agent();
  const ada = await signUpVisitor({ site, cloud }, agent, 'ada@example.com');
  const { status, body } = await ada.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(shippedMutation()),
  });
  expect([status, JSON.parse(body).errors]).toEqual([200, undefined]);
});
