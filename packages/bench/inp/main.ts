/**
 * Prints the Interaction to Next Paint of the first press on each control of each page, with a processor six times
 * slower: `npm run bench -- --inp`. Each control is pressed five times, each time on a new page. The last line is about a
 * page without styles and scripts, for comparison. `--page /`, `--visitor in`, `--locale ar` and `--control summary`
 * measure a part, `--build DIR` measures the build in DIR.
 */
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { type BrowserContextOptions, chromium } from '@playwright/test';
import { localizePath, parseLocale } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { startStack } from '../../../tests/support/processes/stack.ts';
import { signUpVisitor } from '../../../tests/support/sign-in/site-visitor.ts';
import { spread } from '../load/statistics.ts';
import { findControls, SELECTOR } from './controls.ts';
import { measureFirstPress, SHORTEST_MS } from './first-press.ts';

const TARGET_MS = 100;

/** What the browser and the machine take for a press that changes nothing. */
const BARE_PAGE = 'data:text/html,<!doctype html><title>Bare page</title><button>Press</button>';

/** At once as on a touch screen, and at several moments of the start of the client, which takes about two seconds. */
const AFTER_MS = [0, 100, 300, 600, 1200];

const { values } = parseArgs({
  options: {
    inp: { type: 'boolean' },
    build: { type: 'string', default: '.' },
    page: { type: 'string', multiple: true, default: [...pages.map(({ slug }) => `/${slug}`), '/nowhere'] },
    visitor: { type: 'string', multiple: true, default: ['out', 'in'] },
    locale: { type: 'string', multiple: true, default: ['en', 'ar'] },
    control: { type: 'string', default: '' },
  },
});

const stack = await startStack({ topology: 'one machine', directory: values.build });
const executablePath = process.env.CHROMIUM_PATH;
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const sessionCookies = await signIn();
const medians: number[] = [];
const bareDurations: number[] = [];
print('page', 'signed', 'control', 'median', 'largest', `pressed after ${AFTER_MS.join(', ')} ms`);
print('---', '---', '---', '---:', '---:', '---');
for (const code of values.locale) {
  for (const page of values.page) {
    for (const visitor of values.visitor) await measurePage(code, page, visitor);
  }
}
await browser.close();
await stack.stop();
const above = medians.filter((median) => median > TARGET_MS).length;
const bare = spread(bareDurations);
process.stdout.write(
  `\n${medians.length} controls, largest median ${Math.max(...medians)} ms, ${above} above ${TARGET_MS} ms\n` +
    `The button of a page that has nothing else: median ${bare.median} ms, largest ${bare.max} ms\n`,
);

async function measurePage(code: string, page: string, visitor: string): Promise<void> {
  const locale = parseLocale(code);
  if (locale === null) throw new Error(`Unknown locale: ${code}`);
  const path = localizePath(page, locale);
  const url = stack.site.origin + path;
  const options: BrowserContextOptions = {
    viewport: { width: 1280, height: 800 },
    storageState: { cookies: visitor === 'in' ? sessionCookies : [], origins: [] },
  };
  const context = await browser.newContext(options);
  const tab = await context.newPage();
  await tab.goto(url);
  const controls = await tab.evaluate(findControls, SELECTOR);
  await context.close();
  // For every page, because other processes may slow the machine down for a while.
  bareDurations.push(...(await pressAtEachMoment(BARE_PAGE, options, 0)));
  for (const { name, index } of controls.filter((control) => control.name.includes(values.control))) {
    const durations = await pressAtEachMoment(url, options, index);
    const { median, max } = spread(durations);
    medians.push(median);
    print(path, visitor, name, show(median), show(max), durations.map(show).join(', '));
  }
}

async function pressAtEachMoment(
  url: string,
  options: BrowserContextOptions,
  index: number,
): Promise<number[]> {
  const durations: number[] = [];
  for (const afterMs of AFTER_MS) {
    durations.push(await measureFirstPress(browser, { url, options, index, afterMs }));
  }
  return durations;
}

/** Creates an account, and returns the cookies of its session. */
async function signIn() {
  const agent = new Agent({ keepAlive: true });
  const { cookies } = await signUpVisitor(stack, agent, 'visitor@example.com');
  agent.destroy();
  const { hostname: domain } = new URL(stack.site.origin);
  const attributes = { domain, path: '/', expires: -1, httpOnly: true, secure: false };
  return [...cookies.cookies].map(([name, value]) => ({
    name,
    value,
    ...attributes,
    sameSite: 'Lax' as const,
  }));
}

function show(duration: number): string {
  return duration === SHORTEST_MS ? `≤ ${duration}` : String(duration);
}

function print(...cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
