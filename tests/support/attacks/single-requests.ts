/** Attacks by single requests, each of which the site must handle for little work and with the right response. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';
import type { RawRequest } from '../http/raw-request.ts';
import { formSubmission } from '../http/site-requests.ts';
import { examplePath, otherHome } from '../this-site.ts';
import { describeVisits, startVisits, visitInQuiet, wereServed } from './honest-visitor.ts';
import { type AttackResult, attack, type Victim, type VictimOptions } from './victim.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** An operation whose text would become 325 times as long if it were printed. */
function growingDocument(wrap: (inner: string) => string): string {
  // Blank lines at both ends of a block string do not count.
  let selection = `a(text: """x${'\n'.repeat(500_000)}€""")`;
  for (let level = 0; level < 325; level++) selection = wrap(selection);
  return JSON.stringify({ query: `{${selection}}` });
}

/** Sends operations that nest a long text deeply. */
export function nestBlockString(options: VictimOptions = {}): Promise<AttackResult> {
  return attack(options, async (victim) => {
    const ada = await victim.signUp('ada');
    return whileVisited(victim, async () => {
      const statuses: (number | string)[] = [];
      for (const wrap of [(inner: string) => `a{${inner}}`, (inner: string) => `...{${inner}}`]) {
        const request = { method: 'POST', headers: JSON_TYPE, body: growingDocument(wrap) };
        statuses.push(await statusOf(() => ada.request('/api/graphql', request)));
      }
      return { passed: statuses.every((status) => status === 400), result: `status ${statuses.join(', ')}` };
    });
  });
}

const MAX_LOG_LINE = 8192;

/** Returns from the hosted login with errors of many characters, several times with the same attempt. */
export function returnWithLongError(options: VictimOptions = {}): Promise<AttackResult> {
  return attack(options, async (victim) => {
    const visitor = victim.visitor();
    const { headers } = await visitor.request('/auth/sign-in');
    const state = new URL(headers.location ?? '').searchParams.get('state') ?? '';
    return whileVisited(victim, async () => {
      const before = victim.site.output().length;
      for (const length of [31_000, 8000, 8000, 8000, 8000]) {
        const query = new URLSearchParams({ state, error: 'a'.repeat(length) });
        await statusOf(() => visitor.copy().request(`/auth/callback?${query}`));
      }
      await delay(300);
      const lines = victim.site.output().slice(before).split('\n');
      const longest = Math.max(...lines.map((line) => line.length));
      return { passed: longest <= MAX_LOG_LINE, result: `longest log line ${longest} characters` };
    });
  });
}

/** Chooses a language on pages whose address leads to another site without its first segment. */
export function leaveByLanguage(options: VictimOptions = {}): Promise<AttackResult> {
  const pages = ['//evil.example/x', '/\\evil.example', '///evil.example', '/.//evil.example'].map(
    (rest) => otherHome + rest,
  );
  return attack(options, async (victim) => {
    const away: string[] = [];
    for (const returnTo of pages) {
      const form = formSubmission({ locale: 'en', returnTo });
      const { headers } = await victim.visitor().request('/preferences', form);
      const { origin } = victim.site;
      if (headers.location && new URL(headers.location, origin).origin !== origin)
        away.push(headers.location);
    }
    return {
      passed: away.length === 0,
      result: `${away.length} of ${pages.length} leave the site: ${away.join(' ')}`,
    };
  });
}

const MAX_SET_COOKIE_LINES = 24;
/** The names of the site's cookies begin with `__Host-` where its address is https. */
const withBothPrefixes = (cookie: string) => `${cookie}; __Host-${cookie}`;

/** Sends cookies whose names are similar to the site's. A browser sends them only if a script or a server of the site set them. */
export function sendSimilarCookies(options: VictimOptions = {}): Promise<AttackResult> {
  return attack(options, async (victim) => {
    const ada = await victim.signUp('ada');
    const session = withBothPrefixes('session.a b.1=1');
    const oauth = withBothPrefixes('oauth.a b=1');
    const page = await victim.visitor().request(otherHome, { headers: { cookie: session } });
    const signIn = await victim.visitor().request('/auth/sign-in', { headers: { cookie: oauth } });
    const form = formSubmission({}, { cookie: `${ada.cookies.header()}; ${session}` });
    const signedIn = ada.copy();
    const signOut = await signedIn.copy().request('/auth/sign-out', form);
    const isSignedOut = !(await signedIn.isSignedIn());
    const many = Array.from({ length: 500 }, (_, index) =>
      withBothPrefixes(`session.${'x'.repeat(8)}${index}.1=1`),
    );
    const cookie = many.join('; ').slice(0, 31_000);
    const flood = await victim.visitor().request(otherHome, { headers: { cookie } });
    const lines = flood.headers['set-cookie']?.length ?? 0;
    const statuses = [page.status, signIn.status, signOut.status];
    return {
      passed: `${statuses}` === '200,302,303' && isSignedOut && lines <= MAX_SET_COOKIE_LINES,
      result: `page ${page.status}, sign-in ${signIn.status}, sign-out ${signOut.status} ${
        isSignedOut ? 'ended' : 'did not end'
      } the session, ${lines} Set-Cookie lines`,
    };
  });
}

/** Names Remix's internal parameter in every encoding. */
export function encodeDataParameter(options: VictimOptions = {}): Promise<AttackResult> {
  const names = ['_data', '%5Fdata', '%5fdata', '_%64ata', '_dat%61', '%5F%64%61%74%61', '_da%74a'];
  return attack(options, async (victim) => {
    const statuses = await Promise.all(
      names.map(async (name) => (await victim.visitor().request(`${otherHome}?a=b&${name}=root`)).status),
    );
    await delay(300);
    const errors = victim.site.output().match(/"level":"error"/g)?.length ?? 0;
    return {
      passed: statuses.every((status) => status === 400) && errors === 0,
      result: `statuses ${statuses.join(', ')}; ${errors} errors in the log`,
    };
  });
}

/** Posts, deletes and lists messages through the page instead of the proxy. */
export function exceedLimitByPage(options: VictimOptions = {}): Promise<AttackResult> {
  // 24 operations at once, and six per minute.
  const environment = { ...options.environment, RATE_LIMIT_SCALE: '0.002' };
  return attack({ ...options, environment }, async (victim) => {
    const visitor = await victim.signUp('ada');
    const ways: [string, string, Omit<RawRequest, 'path'>][] = [
      ['form', '/test-message', formSubmission({ content: 'x' })],
      ['data form', '/test-message.data', formSubmission({ content: 'x' })],
      ['deletion', '/fr/test-message', formSubmission({ intent: 'delete', id: 'x' })],
      ['page', '/test-message', {}],
      ['data', '/test-message.data', {}],
    ];
    const counts: string[] = [];
    let passed = true;
    for (const [name, path, request] of ways) {
      const statuses = [];
      for (let index = 0; index < 30; index++) statuses.push((await visitor.request(path, request)).status);
      const limited = statuses.filter((status) => status === 429).length;
      counts.push(`${name} ${limited}`);
      passed &&= limited > 0;
    }
    return { passed, result: `429 of 30 each: ${counts.join(', ')}` };
  });
}

/** The connections that the site may open for icons at once, whatever visitors request. */
const MAX_ICON_CONNECTIONS = 64;

/** Requests many icons that the site has to fetch from a host that does not respond. */
export async function requestUnknownIcons(options: VictimOptions = {}): Promise<AttackResult> {
  let open = 0;
  let most = 0;
  // It never responds.
  const host = createServer(() => {}).on('connection', (socket) => {
    most = Math.max(most, ++open);
    socket.on('close', () => void open--).on('error', () => {});
  });
  const environment = { ...options.environment, ICON_API_HOSTS: await listenOnLoopback(host) };
  try {
    return await attack({ ...options, environment }, async (victim) => {
      const requests = Array.from({ length: 100 }, (_, request) => {
        const names = Array.from({ length: 100 }, (_, index) => `icon-${request}-${index}-abcdef`);
        return victim.visitor().request(`/api/icons/mdi.json?icons=${names.join(',').slice(0, 1990)}0`);
      });
      const statuses = await Promise.all(requests.map((request) => request.then(({ status }) => status)));
      return {
        passed: most <= MAX_ICON_CONNECTIONS,
        result: `100 requests opened ${most} connections; statuses ${[...new Set(statuses)].join(', ')}`,
      };
    });
  } finally {
    await closeServer(host);
  }
}

const MAX_PAGE_BYTES = 300_000;

/** Requests pages with queries that the page repeats. */
export function repeatLongQuery(options: VictimOptions = {}): Promise<AttackResult> {
  return attack(options, async (victim) => {
    const sizes: string[] = [];
    let passed = true;
    for (const length of [8000, 28_000]) {
      for (const path of [otherHome, examplePath(), '/nowhere']) {
        const { status, body } = await victim.visitor().request(`${path}?x=${"'".repeat(length)}`);
        const bytes = Buffer.byteLength(body);
        passed &&= bytes <= MAX_PAGE_BYTES;
        sizes.push(`${status}: ${Math.round(bytes / 1000)} kB`);
      }
    }
    return { passed, result: `queries of 8 and 28 kB: ${sizes.join(', ')}` };
  });
}

async function statusOf(send: () => Promise<{ status: number }>): Promise<number | string> {
  return send().then(({ status }) => status, String);
}

/** Attacks while an honest visitor reads the site. Both the visitor and the attack's own result must be right. */
async function whileVisited({ site }: Victim, run: () => Promise<AttackResult>): Promise<AttackResult> {
  const quiet = await visitInQuiet(site.origin);
  const visits = await startVisits(site.origin);
  const { passed, result } = await run();
  const attacked = await visits.end();
  const isAlive = site.isRunning() ? '' : 'the process has died; ';
  const isUnharmed = site.isRunning() && wereServed(quiet, attacked) && attacked.worst <= longestWait(quiet);
  return {
    passed: passed && isUnharmed,
    result: `${isAlive}${result}; ${describeVisits(quiet, attacked)}`,
  };
}

/** A single request blocks the process once, which the slowest hundredth of the visits may not show. */
function longestWait({ median, worst }: { median: number; worst: number }): number {
  return Math.max(250, median * 20, worst * 2);
}
