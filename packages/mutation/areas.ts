/** The areas of `npm run mutation`: the files that are mutated, and the tests that must notice it. */
export type Area = {
  name: string;
  /** The files that are mutated. Each belongs to one area. */
  sources: readonly string[];
  /** The tests, the fast files first. They run in one process and start no others. */
  tests: readonly string[];
};

const server = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `app/server/${folder}/${name}.ts`);
const serverTests = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `tests/unit/server/${folder}/${name}.test.ts`);
const resources = (...names: readonly string[]) => names.map((name) => `app/resources/${name}.ts`);

export const areas: readonly Area[] = [
  {
    name: 'cookies',
    sources: server('cookies', 'chunked-cookie', 'cookie-jar', 'flash-cookie', 'sealed-cookie'),
    tests: serverTests('cookies', 'chunked-cookie', 'cookie-jar', 'flash-cookie', 'sealed-cookie'),
  },
  {
    name: 'tokens',
    sources: server('user-pool', 'token-verifier', 'tokens'),
    tests: serverTests('user-pool', 'token-verifier'),
  },
  {
    name: 'user-pool-client',
    sources: server(
      'user-pool',
      'client-check',
      'refresh-rejection',
      'user-pool-client',
      'user-pool-request',
    ),
    tests: serverTests('user-pool', 'refresh-rejection', 'user-pool-client', 'user-pool-request'),
  },
  {
    name: 'session-cookie',
    sources: server('session', 'session-cookie', 'session-record', 'token-packing', 'visitor'),
    tests: serverTests('session', 'session-cookie', 'session-record', 'token-packing', 'visitor'),
  },
  {
    name: 'session',
    sources: server('session', 'ended-sessions', 'session'),
    tests: serverTests('session', 'ended-sessions', 'session-log', 'session', 'refresh-failure'),
  },
  {
    name: 'refresh',
    sources: server('session', 'refresh'),
    // Not `refresh-load`: its thousand requests take seconds for each mutant.
    tests: serverTests('session', 'refresh-sharing', 'session-log', 'refresh-failure', 'refresh'),
  },
  {
    name: 'sign-in',
    sources: [
      ...server('sign-in', 'return-to', 'sign-in-attempt', 'sign-in-failure', 'sign-in-notice'),
      ...server('user-pool', 'code-exchange', 'hosted-login', 'sign-in-error'),
    ],
    tests: [
      // Not `concurrent-exchanges`: its two thousand exchanges take seconds for each mutant.
      ...serverTests('sign-in', 'return-to', 'sign-in', 'sign-in-attempt'),
      ...serverTests('user-pool', 'code-exchange', 'hosted-login'),
      ...serverTests('cookies', 'flash-cookie'),
    ],
  },
  { name: 'signing', sources: server('signing', 'signing'), tests: serverTests('signing', 'signing') },
  {
    name: 'request-filter',
    sources: server('http', 'request-filter'),
    tests: serverTests('http', 'request-filter'),
  },
  {
    name: 'http-connections',
    // Not `graceful-shutdown` and `health`: only tests that start a process show what a signal does to it.
    sources: server(
      'http',
      'connections',
      'counts',
      'malformed-requests',
      'pending-requests',
      'visitor-address',
    ),
    tests: serverTests('http', 'visitor-address', 'counts', 'pending-requests', 'connections'),
  },
  {
    name: 'http-requests',
    sources: server('http', 'document-request', 'exchange', 'rejection', 'render-limit', 'request-body'),
    tests: serverTests('http', 'document-request', 'request-body', 'exchange', 'render-limit'),
  },
  {
    name: 'http-responses',
    // Not `send-file`: the files of a build, their ranges and their ETags are tested with the built site.
    sources: server(
      'http',
      'content-coding',
      'error-response',
      'location',
      'redirects',
      'response-head',
      'send',
      'static-files',
    ),
    tests: serverTests(
      'http',
      'location',
      'redirects',
      'response-head',
      'error-response',
      'content-coding',
      'send',
      'event-streams',
      'static-files',
      'exchange',
    ),
  },
  {
    name: 'retries',
    sources: server('resilience', 'retry', 'upstream-error', 'upstream-response'),
    tests: serverTests('resilience', 'retry', 'upstream-response'),
  },
  {
    name: 'overload',
    sources: server(
      'resilience',
      'call-signal',
      'circuit-breaker',
      'concurrency-limit',
      'deadline',
      'upstream',
    ),
    tests: serverTests(
      'resilience',
      'call-signal',
      'circuit-breaker',
      'concurrency-limit',
      'deadline',
      'upstream',
    ),
  },
  {
    name: 'rate-limit',
    sources: server('rate-limit', 'rate-limit', 'rate-limiter'),
    tests: serverTests('rate-limit', 'rate-limit'),
  },
  {
    name: 'page-cache',
    sources: server('page-cache', 'page-cache', 'page-cache-key'),
    tests: serverTests('page-cache', 'page-cache', 'page-cache-key'),
  },
  {
    name: 'graphql',
    sources: server('graphql-proxy', 'operation-bounds', 'operation-check', 'trusted-documents'),
    tests: serverTests('graphql-proxy', 'operation-bounds', 'operation-check'),
  },
  {
    name: 'page-rules',
    sources: server('rendering', 'guarded-routes'),
    tests: serverTests('rendering', 'guarded-routes'),
  },
  {
    name: 'log',
    sources: server('observability', 'log-fields'),
    // Not `log`: it starts processes and measures times.
    tests: serverTests('observability', 'log-fields'),
  },
  {
    name: 'identity',
    sources: server('identity', 'guest-creation', 'guest-identity', 'identity', 'identity-pool'),
    tests: [
      ...serverTests('identity', 'guest-identity', 'identity-pool', 'identity'),
      'tests/routes/api/identity.test.ts',
    ],
  },
  {
    name: 'icons',
    sources: server('icons', 'icon-api', 'icons', 'installed-icons', 'svg-body'),
    tests: [...serverTests('icons', 'svg-body', 'icons'), 'tests/routes/api/icons.test.ts'],
  },
  {
    name: 'preferences',
    sources: server('preferences', 'canonical-address', 'language-offer', 'locale-detection', 'preferences'),
    tests: serverTests('preferences', 'preferences', 'canonical-address', 'locale-detection'),
  },
  {
    name: 'policy-reports',
    sources: server(
      'policy-reports',
      'policy-report',
      'policy-reports',
      'policy-reports-step',
      'violation-log',
    ),
    tests: serverTests('policy-reports', 'policy-report', 'violation-log', 'policy-reports'),
  },
  {
    name: 'resources',
    sources: resources(
      'api.graphql',
      'api.icons',
      'api.identity',
      'auth.callback',
      'auth.sign-in',
      'auth.sign-out',
      'auth.sign-up',
      'begin-sign-in',
      'preferences',
      'robots',
      'security-txt',
      'sitemap',
      'web-manifest',
    ),
    tests: [
      'tests/unit/resources/preferences.test.ts',
      'tests/unit/resources/auth.test.ts',
      'tests/unit/server/sign-in/sign-in.test.ts',
      'tests/unit/resources/api-errors.test.ts',
      'tests/unit/resources/public-files.test.ts',
      'tests/routes/api/icons.test.ts',
      'tests/routes/api/identity.test.ts',
      'tests/routes/api/graphql-route.test.ts',
      'tests/routes/sign-in/sign-in.test.ts',
      'tests/routes/sign-in/callback.test.ts',
      'tests/routes/sign-in/sign-out.test.ts',
    ],
  },
];
