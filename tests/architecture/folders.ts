/**
 * The folders of the product from bottom to top, and what each of them may import. The architecture test compares this
 * table with the code, and the README shows it.
 */
export type Folder = {
  /** A folder without its subfolders, or a single file where the files of a folder have different levels. */
  path: string;
  holds: string;
  /** Rows above this one, or folders outside the table. `/*` stands for every subfolder. */
  imports: readonly string[];
  /** Rows of which only types may be imported. */
  types?: readonly string[];
};

// biome-ignore format: one line for each row.
export const folders: readonly Folder[] = [
  { path: 'app/pages.ts', holds: 'the list of pages, with their layouts and middleware', imports: [] },
  { path: 'app/site-name.ts', holds: 'the name of the site', imports: [] },
  { path: 'app/i18n', holds: 'locales, translations, formats, addresses and heads of pages', imports: ['app/pages.ts'] },
  { path: 'app/theme', holds: 'theme preference and its synchronization between tabs', imports: [] },
  { path: 'app/icons', holds: 'icon names and the loader for icons that are not in the build', imports: [] },
  { path: 'app/server/config', holds: 'environment variables and `amplify_outputs.json`', imports: [] },
  { path: 'app/server/observability', holds: 'log, request log and metrics', imports: [] },
  { path: 'app/server/resilience', holds: 'retry, circuit breaker, concurrency limit, deadline, clock', imports: ['app/server/observability'] },
  { path: 'app/server/cookies', holds: 'sealed cookies, chunked cookies, flash cookies, cookie jar', imports: [] },
  { path: 'app/server/http', holds: 'requests and responses, request filter, static files, graceful shutdown', imports: ['app/site-name.ts', 'app/i18n', 'app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/cookies'] },
  { path: 'app/server/signing', holds: 'Signature Version 4', imports: [] },
  { path: 'app/server/user-pool', holds: 'Cognito user pool: client, hosted login, token verification', imports: ['app/i18n', 'app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/http'] },
  { path: 'app/server/shared-store', holds: 'key-value store: in memory or Redis', imports: ['app/server/observability', 'app/server/resilience'] },
  { path: 'app/server/session', holds: 'session, its cookie, token refresh', imports: ['app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/cookies', 'app/server/user-pool', 'app/server/shared-store'] },
  { path: 'app/server/preferences', holds: 'language detection, theme and language cookies', imports: ['app/i18n', 'app/theme', 'app/server/config', 'app/server/cookies', 'app/server/http'] },
  { path: 'app/server/sign-in', holds: 'sign-in attempt, return path, notices', imports: ['app/i18n', 'app/server/config', 'app/server/resilience', 'app/server/cookies', 'app/server/http', 'app/server/user-pool'] },
  { path: 'app/server/identity', holds: 'Cognito identity pool: AWS credentials, guest identity', imports: ['app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/cookies', 'app/server/signing', 'app/server/session'] },
  { path: 'app/server/data-api', holds: 'calls of the AppSync API', imports: ['app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/http', 'app/server/signing', 'app/server/session', 'app/server/identity'] },
  { path: 'app/server/icons', holds: 'icons for documents and `/api/icons`', imports: ['app/icons', 'app/server/config', 'app/server/observability', 'app/server/resilience'] },
  { path: 'app/server/rate-limit', holds: 'limits per session or address', imports: ['app/server/config', 'app/server/observability', 'app/server/http', 'app/server/shared-store', 'app/server/session'] },
  { path: 'app/server/builds', holds: 'data of the build, assets of earlier builds', imports: ['app/pages.ts', 'app/i18n', 'app/server/observability', 'app/server/http'] },
  { path: 'app/server/graphql-proxy', holds: '`POST /api/graphql`: checks and trusted documents', imports: ['app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/http', 'app/server/session', 'app/server/data-api'] },
  { path: 'app/server/policy-reports', holds: 'reports of violations of the Content-Security-Policy', imports: ['app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/http', 'app/server/rate-limit'] },
  { path: 'app/server/page-cache', holds: 'cached pages for visitors without a session', imports: ['app/i18n', 'app/theme', 'app/server/observability', 'app/server/cookies', 'app/server/http', 'app/server/preferences'] },
  { path: 'app/server/rendering', holds: 'data and rules of pages, rendering of documents', imports: ['app/pages.ts', 'app/i18n', 'app/icons', 'app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/http', 'app/server/session', 'app/server/preferences', 'app/server/icons'] },
  { path: 'app/server', holds: 'request context, request steps, the site as a whole', imports: ['app/pages.ts', 'app/i18n', 'app/theme', 'app/server/*'] },
  { path: 'app/client/tab-state', holds: 'state of one tab: unsaved text, storage', imports: [] },
  { path: 'app/client/deployment', holds: 'new deployments and missing chunks', imports: ['app/client/tab-state'] },
  { path: 'app/client/page-data', holds: 'data of pages for client-side navigation', imports: ['app/pages.ts', 'app/i18n'] },
  { path: 'app/client/browser-services.ts', holds: 'the services of one tab', imports: ['app/client/tab-state', 'app/client/deployment', 'app/client/page-data'] },
  { path: 'app/client/navigation', holds: 'navigation, prefetch, scrolling', imports: ['app/pages.ts', 'app/i18n', 'app/client/deployment', 'app/client/page-data', 'app/client/browser-services.ts'] },
  { path: 'app/client/graphql', holds: 'calls of the GraphQL proxy', imports: [], types: ['app/server/data-api'] },
  { path: 'app/client/hydration', holds: 'hydration on the first interaction', imports: ['app/client/tab-state', 'app/client/navigation'] },
  { path: 'app/components/document', holds: 'parts of every document', imports: ['app/pages.ts', 'app/i18n', 'app/theme', 'app/client/page-data', 'app/client/browser-services.ts', 'app/client/navigation', 'app/client/hydration'], types: ['app/server/rendering'] },
  { path: 'app/components/ui', holds: 'buttons, cards, fields, icons', imports: ['app/icons', 'app/components/document'] },
  { path: 'app/components/site', holds: 'header, footer, menus, notices', imports: ['app/pages.ts', 'app/site-name.ts', 'app/i18n', 'app/theme', 'app/icons', 'app/client/browser-services.ts', 'app/client/navigation', 'app/components/document', 'app/components/ui'], types: ['app/server/session', 'app/server/sign-in'] },
  { path: 'app/layouts', holds: 'layouts by name', imports: ['app/pages.ts', 'app/components/document', 'app/components/site'] },
  { path: 'app/pages/page-meta.ts', holds: 'the head of a page', imports: ['app/site-name.ts', 'app/i18n'], types: ['app/server/rendering'] },
  { path: 'app/pages/test-message/call-timing', holds: 'the chart of a call', imports: ['app/i18n', 'app/icons', 'app/components/ui'], types: ['app/server/data-api'] },
  { path: 'app/pages/test-message/message', holds: 'the rules of a message and the parts that show it', imports: ['app/i18n', 'app/components/ui'] },
  { path: 'app/pages/home', holds: 'the home page', imports: ['app/pages.ts', 'app/i18n', 'app/icons', 'app/server/rendering', 'app/client/navigation', 'app/components/ui', 'app/components/site', 'app/pages/page-meta.ts'] },
  { path: 'app/pages/not-found', holds: 'the page for unknown addresses', imports: ['app/client/navigation'] },
  { path: 'app/pages/test-message', holds: 'the test message page', imports: ['app/server/resilience', 'app/server/cookies', 'app/server/http', 'app/server/rendering', 'app/client/browser-services.ts', 'app/client/graphql', 'app/client/navigation', 'app/client/hydration', 'app/components/ui', 'app/components/site', 'app/pages/page-meta.ts', 'app/pages/test-message/call-timing', 'app/pages/test-message/message'], types: ['app/server/data-api'] },
  { path: 'app/pages/typography-demo', holds: 'the typography page', imports: ['app/i18n', 'app/server/rendering', 'app/client/page-data', 'app/client/navigation', 'app/components/ui', 'app/pages/page-meta.ts'] },
  { path: 'app/pages/privacy', holds: 'the privacy page', imports: ['app/server/rendering', 'app/client/navigation', 'app/components/ui', 'app/components/site', 'app/pages/page-meta.ts'] },
  { path: 'app/resources', holds: 'routes without a page: sign-in, preferences, APIs, sitemap', imports: ['app/pages.ts', 'app/site-name.ts', 'app/i18n', 'app/theme', 'app/icons', 'app/server/config', 'app/server/observability', 'app/server/resilience', 'app/server/cookies', 'app/server/http', 'app/server/user-pool', 'app/server/session', 'app/server/preferences', 'app/server/sign-in', 'app/server/identity', 'app/server/icons', 'app/server/graphql-proxy'] },
  { path: 'app', holds: 'root and entry points of Remix', imports: ['app/pages.ts', 'app/site-name.ts', 'app/i18n', 'app/theme', 'app/server/http', 'app/server/rendering', 'app/client/tab-state', 'app/client/browser-services.ts', 'app/client/navigation', 'app/client/hydration', 'app/components/document', 'app/components/site', 'app/layouts'] },
  { path: 'server.ts', holds: 'the entry point of production and development', imports: ['app/server/config', 'app/server/observability', 'app/server/http', 'app/server/builds', 'app/server'] },
  { path: 'local-cloud/storage', holds: 'the stored state, in a file', imports: [] },
  { path: 'local-cloud/http', holds: 'server, routing, cookies, AWS JSON protocol', imports: [] },
  { path: 'local-cloud/sigv4', holds: 'verification of Signature Version 4', imports: ['local-cloud/storage', 'local-cloud/http'] },
  { path: 'local-cloud/user-pool', holds: 'Cognito user pool: users, passwords, tokens, mails', imports: ['local-cloud/storage', 'local-cloud/http'] },
  { path: 'local-cloud/identity-pool', holds: 'Cognito identity pool', imports: ['local-cloud/storage', 'local-cloud/http', 'local-cloud/sigv4', 'local-cloud/user-pool'] },
  { path: 'local-cloud/dynamodb', holds: 'the table of messages in dynalite', imports: ['local-cloud/storage', 'local-cloud/http'] },
  { path: 'local-cloud/appsync', holds: 'the AppSync API, which runs the resolvers of `infra/resolvers`', imports: ['local-cloud/http', 'local-cloud/storage', 'local-cloud/sigv4', 'local-cloud/user-pool', 'local-cloud/identity-pool', 'local-cloud/dynamodb'] },
  { path: 'local-cloud/oauth', holds: 'OAuth 2.0 endpoints', imports: ['local-cloud/storage', 'local-cloud/http', 'local-cloud/user-pool'] },
  { path: 'local-cloud/hosted-login', holds: 'the hosted login: forms and languages', imports: ['local-cloud/storage', 'local-cloud/http', 'local-cloud/user-pool', 'local-cloud/oauth'] },
  { path: 'local-cloud/hosted-login/pages', holds: 'the pages of the hosted login', imports: ['local-cloud/http', 'local-cloud/user-pool', 'local-cloud/hosted-login'] },
  { path: 'local-cloud/control', holds: 'fault injection and the outbox', imports: ['local-cloud/http', 'local-cloud/user-pool', 'local-cloud/identity-pool', 'local-cloud/oauth', 'local-cloud/hosted-login'] },
  { path: 'local-cloud', holds: 'services and routes as one server', imports: ['app/site-name.ts', 'local-cloud/*'] },
  { path: 'scripts/aws/command', holds: 'command line, messages and exit codes of the AWS commands', imports: [] },
  { path: 'scripts/aws/stack', holds: 'the CloudFormation template, its change sets and events', imports: ['scripts/aws/command'] },
  { path: 'scripts/aws', holds: '`npm run aws:deploy` and `npm run aws:env`', imports: ['app/server/config', 'scripts/aws/command', 'scripts/aws/stack'] },
  { path: 'bench/load', holds: 'load generators and CPU time', imports: ['scripts/setup'] },
  { path: 'bench/servers', holds: 'bare servers to compare with', imports: [] },
  { path: 'bench/speed', holds: 'speed and memory: `npm run bench`', imports: ['app/server/cookies', 'app/server/signing', 'app/server/session', 'app/server/graphql-proxy', 'local-cloud', 'bench/load', 'scripts/setup', 'tests/support/*'] },
  { path: 'bench/memory', holds: 'memory of a million requests under a limit: `npm run bench -- --memory`', imports: ['bench/load', 'bench/speed'] },
  { path: 'bench/resilience', holds: 'behavior during failures: `npm run resilience`', imports: ['app/server/session', 'local-cloud', 'tests/support/*'] },
  { path: 'scripts/doctor/findings', holds: 'the known problems, and how checks run', imports: ['app/server/resilience'] },
  { path: 'scripts/doctor/services', holds: 'checks with the configuration of the site', imports: ['app/server/config', 'app/server/resilience', 'app/server/signing', 'app/server/user-pool', 'app/server/shared-store', 'app/server/identity', 'scripts/doctor/findings'] },
  { path: 'scripts/doctor/account', holds: 'checks with AWS credentials', imports: ['app/server/config', 'app/server/resilience', 'app/server/identity', 'scripts/doctor/findings'] },
  { path: 'scripts/doctor', holds: 'the command `npm run doctor`', imports: ['app/server/config', 'app/server/observability', 'app/server/identity', 'scripts/doctor/*'] },
];
