/** A copy of the repository in a temporary folder, and the running site that is built in it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, startSite } from '../../tests/support/processes/site.ts';
import { createSiteVisitor, type SiteVisitor } from '../../tests/support/sign-in/site-visitor.ts';

export type RunningSite = {
  /** The folder of the copy. */
  directory: string;
  /** A visitor without cookies. */
  visitor(): SiteVisitor;
  /** A visitor who has just created an account. */
  signedInVisitor(): Promise<SiteVisitor>;
};

/** Copies the files that git tracks or would track. Packages are shared. */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'recipes-'));
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { encoding: 'utf8' });
  for (const file of list.split('\0')) if (file !== '' && existsSync(file)) cpSync(file, join(copy, file));
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

export function removeCopy(copy: string): void {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs a program of node_modules/.bin in the copy. Throws with its output when it fails. */
export function runInCopy(copy: string, program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(join('node_modules', '.bin', program), args, {
    cwd: copy,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
}

/** Starts the build and the local cloud of the copy, runs `check` and stops both. */
export async function withSite(copy: string, check: (site: RunningSite) => Promise<void>): Promise<void> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const { startLocalCloud }: typeof import('../../local-cloud/start.ts') = await import(
    pathToFileURL(join(copy, 'local-cloud/start.ts')).href
  );
  const cloud = await startLocalCloud({ siteOrigins: [origin] });
  const site = await startSite(port, cloud.environment({ appOrigin: origin }), copy);
  const agent = new Agent();
  try {
    await check({
      directory: copy,
      visitor: () => createSiteVisitor(origin, agent),
      async signedInVisitor() {
        const visitor = createSiteVisitor(origin, agent);
        await visitor.signUp(cloud, { email: 'ada@example.com', password: 'Correct-Horse-7' });
        return visitor;
      },
    });
  } finally {
    agent.destroy();
    await site.stop();
    await cloud.close();
  }
}
