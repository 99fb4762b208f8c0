/** WebKitGTK: its small browser on a display without a screen, through WebDriver. It is the engine of Safari. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Builder, Capabilities, type WebDriver } from 'selenium-webdriver';
import { findWebKit } from '../../../../tools/setup/engines.mjs';
import { acceptsConnections } from '../../../support/http/raw-socket.ts';
import { killOnExit } from '../../../support/processes/child-process.ts';
import type { SwitchedOff } from '../../../support/processes/engines.ts';
import { freePort } from '../../../support/processes/site.ts';
import { waitUntil } from '../../../support/timing/wait-until.ts';
import type { Engine } from './engine.ts';
import type { Tab } from './tab.ts';

/** The tool bar of the browser is wider than a phone. Without space around its buttons it is not. */
const NARROW_TOOLBAR = '* { min-width: 0; padding: 0; margin: 0; font-size: 1px; }';

const options = { JavaScript: '--enable-javascript=FALSE', cookies: '--cookies-policy=never' };

/**
 * Starts the display. Each tab has a browser and a driver of its own. The browser is started here, because the driver
 * waits for one that it starts itself only for some seconds, and then never responds.
 */
export async function startWebKit(switchedOff: SwitchedOff): Promise<Engine> {
  const programs = findWebKit();
  if (programs === null) throw new Error('WebKitGTK is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'webkit-'));
  mkdirSync(join(folder, 'gtk-3.0'));
  writeFileSync(join(folder, 'gtk-3.0', 'gtk.css'), NARROW_TOOLBAR);
  const { screen, name } = await startDisplay(programs.display);
  const env = {
    ...process.env,
    DISPLAY: name,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    // The language that it asks the site for.
    LANG: 'en_US.UTF-8',
  };
  const args = ['--automation', ...(switchedOff === null ? [] : [options[switchedOff]])];
  return {
    async openTab() {
      const target = `127.0.0.1:${await freePort()}`;
      const browser = await start(programs.browser, args, target, {
        ...env,
        WEBKIT_INSPECTOR_SERVER: target,
      });
      const server = `127.0.0.1:${await freePort()}`;
      const driver = await start(
        programs.driver,
        [`--port=${portOf(server)}`, `--target=${target}`],
        server,
        env,
      );
      const session = await new Builder()
        .usingServer(`http://${server}`)
        .withCapabilities(new Capabilities({ browserName: 'MiniBrowser' }))
        .build();
      const problems: string[] = [];
      const close = async () => {
        await session.quit();
        await stop(driver);
        await stop(browser);
      };
      return { tab: tabOf(session, problems), problems, close };
    },
    async close() {
      await stop(screen);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a display, which chooses a name that is not in use. */
async function startDisplay(program: string) {
  const args = ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'];
  const screen = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  killOnExit(screen);
  const [number] = await once(screen.stdio[3] as NodeJS.ReadableStream, 'data');
  return { screen, name: `:${String(number).trim()}` };
}

/** Starts a program, and waits until it accepts connections at the address. */
async function start(program: string, args: string[], address: string, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { env, stdio: 'ignore' });
  killOnExit(child);
  const accepts = () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with exit code ${child.exitCode}`);
    return acceptsConnections(portOf(address));
  };
  await waitUntil(accepts, { message: () => `${program} did not start`, timeoutMs: 60_000 });
  return child;
}

const portOf = (address: string) => Number(new URL(`http://${address}`).port);

/** Ends a process, which may have ended already. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

function tabOf(browser: WebDriver, problems: string[]): Tab {
  return {
    goto: (url) => browser.get(url),
    url: () => browser.getCurrentUrl(),
    back: () => browser.navigate().back(),
    forward: () => browser.navigate().forward(),
    resize: async (width) => void (await browser.manage().window().setRect({ width, height: 800 })),
    async run(inPage, argument) {
      problems.push(...(await browser.executeScript<string[]>(noticeProblems)));
      return browser.executeScript(inPage, argument);
    },
    press: (x, y) => browser.actions({ async: true }).move({ x, y, duration: 0 }).click().perform(),
    type: (text) => browser.actions({ async: true }).sendKeys(text).perform(),
    cookies: async () =>
      Object.fromEntries((await browser.manage().getCookies()).map(({ name, value }) => [name, value])),
  };
}

/**
 * Runs in the page. The driver reports nothing from the console, so the page keeps its errors and warnings from now on,
 * before its own client code starts, which is when the visitor uses the page. Returns those since the last call: they
 * may be of the page before this one.
 */
function noticeProblems(): string[] {
  const key = 'problems';
  const noticed: string[] = JSON.parse(sessionStorage.getItem(key) ?? '[]');
  sessionStorage.removeItem(key);
  if ('noticesProblems' in window) return noticed;
  Object.assign(window, { noticesProblems: true });
  const note = (problem: unknown) => {
    const before = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    sessionStorage.setItem(key, JSON.stringify([...before, String(problem)]));
  };
  window.addEventListener('error', ({ message }) => note(message));
  window.addEventListener('unhandledrejection', ({ reason }) => note(reason));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    note(`${violatedDirective}: ${blockedURI}`),
  );
  for (const level of ['error', 'warn'] as const) {
    const log = console[level];
    console[level] = (...values: unknown[]) => {
      note(values.join(' '));
      log(...values);
    };
  }
  return noticed;
}
