/** The settings of `fly.toml` that have to fit the site. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envSchema } from '../../app/server/config/env-schema.ts';
import { shutdownDeadlineMs } from '../../packages/site-server/src/graceful-shutdown.ts';
import { formSubmission } from '../support/http/site-requests.ts';
import { type Stack, startStack } from '../support/processes/stack.ts';
import { createSiteVisitor } from '../support/sign-in/site-visitor.ts';

const toml = readFileSync('fly.toml', 'utf8');
const setting = (name: string) => new RegExp(`^ *${name} = "?([^"\\n]+)"?$`, 'm').exec(toml)?.[1] ?? '';

/** The address of the app, with which Fly ends the header. https://fly.io/docs/networking/request-headers/ */
const APP_ADDRESS = '66.241.124.10';

let stack: Stack;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  const environment = { TRUSTED_PROXIES: setting('TRUSTED_PROXIES'), RATE_LIMIT_SCALE: '0.1' };
  stack = await startStack({ environment });
});
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

/** Sends a request from `visitor` as Fly's proxy passes it on, and returns the status. */
async function sendFrom(visitor: string): Promise<number> {
  const headers = { 'x-forwarded-for': `${visitor}, ${APP_ADDRESS}` };
  const site = createSiteVisitor(stack.site.origin, agent);
  return (await site.request('/preferences', formSubmission({ theme: 'dark' }, headers))).status;
}

describe('fly.toml', () => {
  it('makes the site count requests by the address of the visitor', async () => {
    const statuses: number[] = [];
    // What a visitor states in the header stands before the visitor's address.
    for (let request = 0; request < 8; request++) {
      statuses.push(await sendFrom(`192.0.2.${request}, 203.0.113.7`));
    }
    expect(statuses.at(-1)).toBe(429);
    expect(await sendFrom('203.0.113.8')).toBe(303);
  });

  it('sends requests and health checks to the port of the site', () => {
    expect(setting('internal_port')).toBe(setting('PORT'));
    expect(setting('path')).toBe('/readyz');
  });

  it('waits longer for a shutdown than the server itself', () => {
    expect(setting('kill_signal')).toBe('SIGTERM');
    const noticeMs = envSchema.shape.DRAIN_SECONDS.parse(setting('DRAIN_SECONDS') || undefined) * 1000;
    expect(Number.parseInt(setting('kill_timeout'), 10) * 1000).toBeGreaterThan(shutdownDeadlineMs(noticeMs));
  });
});
