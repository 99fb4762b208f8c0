/** The built site with a local cloud for the tests of a file, and the requests that they send. */
import { Agent } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { type RawRequest, type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { createSiteVisitor, type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';

export type RunningStack = Pick<Stack, 'site' | 'machines' | 'cloud'> & {
  /** The connections of visitors, which stay open until the end of the tests. */
  agent: Agent;
  /** Sends one request on a connection of its own. */
  send(request: RawRequest): Promise<RawResponse>;
  get(path: string, headers?: Record<string, string>): Promise<RawResponse>;
  /** Creates a visitor without cookies. */
  visit(): SiteVisitor;
  /** Creates an account with the address `{name}@example.com`, and returns its signed-in visitor. */
  signUp(name: string): Promise<SiteVisitor>;
};

/** Starts the site before the tests of a file or a `describe`, and stops it after them. */
export function setUpStack(options: Parameters<typeof startStack>[0] = {}): RunningStack {
  const agent = new Agent({ keepAlive: true });
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack(options);
  });
  afterAll(async () => {
    agent.destroy();
    await stack?.stop();
  });
  const send = (request: RawRequest) => sendRaw(stack.site.origin, request);
  return {
    get site() {
      return stack.site;
    },
    get machines() {
      return stack.machines;
    },
    get cloud() {
      return stack.cloud;
    },
    agent,
    send,
    get: (path, headers = {}) => send({ path, headers }),
    visit: () => createSiteVisitor(stack.site.origin, agent),
    signUp: (name) => signUpVisitor(stack, agent, `${name}@example.com`),
  };
}
