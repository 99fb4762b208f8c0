import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** What is on this machine. */
const NEVER_PROXIED = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Creates a dispatcher with persistent connections to upstreams. They lead through the proxies that `HTTPS_PROXY` and
 * `HTTP_PROXY` name, except to this machine and to the hosts in `NO_PROXY`. Like the AWS SDK, undici reads its variables
 * from the environment. All calls have such a dispatcher: that of undici depends on the version and options of Node.
 */
export function createDispatcher(options: Agent.Options = {}): Dispatcher {
  const { env } = process;
  if (!PROXY_VARIABLES.some((name) => env[name])) return new Agent(options);
  const noProxy = [env.no_proxy ?? env.NO_PROXY ?? '', ...NEVER_PROXIED].join(',');
  return new EnvHttpProxyAgent({ ...options, noProxy });
}
