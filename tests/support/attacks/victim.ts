/** The site under an attack: one process with the memory that Node has on a machine of 512 MB. */
import { Agent } from 'node:http';
import { SMALL_HEAP } from '../processes/process-usage.ts';
import { type Stack, startStack } from '../processes/stack.ts';
import { createSiteVisitor, type SiteVisitor, signUpVisitor } from '../sign-in/site-visitor.ts';
import { settlesWithin } from '../timing/settles-within.ts';

/** What an attack has shown. `result` states the figures. */
export type AttackResult = { passed: boolean; result: string };

export type VictimOptions = {
  /** The folder of the build. */
  directory?: string | undefined;
  environment?: Record<string, string>;
  /** Milliseconds in which 99 of 100 requests of the honest visitor must be complete: 250 if nothing else runs beside. */
  maxP99Ms?: number;
};

export type Victim = Stack & {
  /** Returns a visitor without cookies. */
  visitor(): SiteVisitor;
  signUp(name: string): Promise<SiteVisitor>;
};

const STOP_MS = 10_000;

/**
 * Starts the site with a small heap behind one trusted proxy, so that requests can name their address. `stop` never
 * rejects: an attack may have ended the process.
 */
async function startVictim({ directory, environment = {} }: VictimOptions = {}): Promise<Victim> {
  const agent = new Agent({ keepAlive: true });
  const stack = await startStack({
    topology: 'one machine',
    environment: { NODE_OPTIONS: SMALL_HEAP, TRUSTED_PROXIES: '1', ...environment },
    directory,
  });
  return {
    ...stack,
    visitor: () => createSiteVisitor(stack.site.origin, agent),
    signUp: (name) => signUpVisitor(stack, agent, `${name}@example.com`),
    async stop() {
      agent.destroy();
      await settlesWithin(STOP_MS, stack.site.stop('SIGKILL')).catch(() => {});
      await stack.cloud.close();
    },
  };
}

/** Starts a victim, attacks it, and stops it in any case. */
export async function attack(
  options: VictimOptions,
  run: (victim: Victim) => Promise<AttackResult>,
): Promise<AttackResult> {
  const victim = await startVictim(options);
  try {
    return await run(victim);
  } finally {
    await victim.stop();
  }
}
