/** The command `npm run cloud`, which runs the local cloud in a separate process. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Email, type LocalCloud, StartError, startLocalCloud } from '@tenfold/local-cloud';
import { siteName } from '../app/site-name.ts';
import { CommandError } from './aws/command.ts';
import { INFRA, palette, readInfra } from './cloud-sources.ts';

const {
  CLOUD_PORT = '4000',
  CLOUD_ORIGIN,
  SITE_ORIGIN = 'http://localhost:3000',
  CLOUD_DATA = '.local-cloud',
} = process.env;

/** The password is no secret: every caller of the local cloud may change its groups. */
const administrator = { email: 'admin@example.com', password: 'administrator-of-the-demo' };

const siteOrigins = SITE_ORIGIN.split(',').map((origin) => new URL(origin.trim()).origin);
const cloud = await start();
const seedFile = join(INFRA, 'seed.json');
if (existsSync(seedFile)) await cloud.seed(JSON.parse(readFileSync(seedFile, 'utf8')));
const environment = cloud.environment();
writeEnvironmentFile({ APP_ORIGIN: siteOrigins[0] ?? '', ...environment });
console.log(`Local cloud   ${cloud.origin}`);
console.log(`Outbox        ${cloud.origin}/_outbox`);
console.log(`Administrator ${administrator.email}, password ${administrator.password}`);
let isStopping = false;
for (const event of ['disconnect', 'SIGINT', 'SIGTERM'] as const) process.on(event, stop);
// `send` exists only in a forked process. Its parent waits for this message.
if (process.connected) process.send?.({ ready: true, origin: cloud.origin, environment, administrator });
else if (process.send) stop();

async function start(): Promise<LocalCloud> {
  try {
    return await startLocalCloud({
      infra: readInfra(),
      palette,
      port: Number(CLOUD_PORT),
      origin: CLOUD_ORIGIN === undefined ? undefined : new URL(CLOUD_ORIGIN).origin,
      siteOrigins,
      siteName,
      dataDir: CLOUD_DATA,
      administrator,
      onEmail: printEmail,
    });
  } catch (error) {
    console.error(describeStartError(error));
    return process.exit(1);
  }
}

function describeStartError(error: unknown): unknown {
  if (error instanceof StartError || error instanceof CommandError) return error.message;
  const isPortInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isPortInUse ? `Port ${CLOUD_PORT} is in use. Set CLOUD_PORT to use another port.` : error;
}

function printEmail({ from, to, subject, code }: Email): void {
  console.log(`\nEmail to ${to}\n  From: ${from}\n  ${subject}${code === null ? '' : `\n  Code: ${code}`}\n`);
}

/**
 * Writes the variables for `node --env-file`, with which developers start the site by hand. The site's secrets are
 * not included.
 */
function writeEnvironmentFile(variables: Record<string, string>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(CLOUD_DATA, 'site.env'), lines.join(''), { mode: 0o600 });
}

/** The terminal sends Ctrl-C to this process, and so does its parent. */
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  void cloud.close().finally(() => process.exit(0));
}
