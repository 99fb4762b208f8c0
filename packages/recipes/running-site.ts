/** The built site with the local cloud, as the checks of the recipes see it. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { freePort, startSite } from '../../tests/support/processes/site.ts';
import { PASSWORD } from '../../tests/support/sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor } from '../../tests/support/sign-in/site-visitor.ts';
import { startLocalCloud } from '../local-cloud/start.ts';

export type RunningSite = {
  origin: string;
  /** A visitor without cookies. */
  visitor(): SiteVisitor;
  /** A visitor who has just created an account. */
  signedInVisitor(): Promise<SiteVisitor>;
  /** What the process has written so far. */
  output(): string;
  /** Sends the signal and returns the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
};

/** Starts the build and the local cloud of the working directory, runs `check` and stops both. */
export async function withSite(check: (site: RunningSite) => Promise<void>): Promise<void> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const cloud = await startLocalCloud({ siteOrigins: [origin] });
  await cloud.seed();
  const site = await startSite(port, cloud.environment({ appOrigin: origin }));
  const agent = new Agent();
  try {
    await check({
      origin,
      visitor: () => createSiteVisitor(origin, agent),
      async signedInVisitor() {
        const visitor = createSiteVisitor(origin, agent);
        await visitor.signUp(cloud, { email: `${randomUUID()}@example.com`, password: PASSWORD });
        return visitor;
      },
      output: site.output,
      stop: site.stop,
    });
  } finally {
    agent.destroy();
    await site.stop();
    await cloud.close();
  }
}
