/** The command `npm run cloud`, which runs the local cloud in a separate process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { siteName } from '../../app/site-name.ts';
import { FolderInUseError } from './dynamodb/folder-lock.ts';
import type { Email } from './hosted-login/outbox.ts';
import { type LocalCloud, startLocalCloud } from './start.ts';

const {
  CLOUD_PORT = '4000',
  SITE_ORIGIN = 'http://localhost:3000',
  CLOUD_DATA = '.local-cloud',
  NODE_ENV,
} = process.env;

if (NODE_ENV === 'production') {
  console.error('The local cloud does not run in production. It is only for development and tests.');
  process.exit(1);
}

const siteOrigins = SITE_ORIGIN.split(',').map((origin) => new URL(origin.trim()).origin);
const cloud = await start();
await cloud.seed();
const environment = cloud.environment();
writeEnvironmentFile({ APP_ORIGIN: siteOrigins[0] ?? '', ...environment });
console.log(`Local cloud   ${cloud.origin}`);
console.log(`Outbox        ${cloud.origin}/_outbox`);
// `send` exists only in a forked process. Its parent waits for this message.
process.send?.({ ready: true, origin: cloud.origin, environment });

process.once('disconnect', stop);
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

async function start(): Promise<LocalCloud> {
  try {
    return await startLocalCloud({
      port: Number(CLOUD_PORT),
      siteOrigins,
      siteName,
      dataDir: CLOUD_DATA,
      onEmail: printEmail,
    });
  } catch (error) {
    console.error(describeStartError(error));
    return process.exit(1);
  }
}

function describeStartError(error: unknown): unknown {
  if (error instanceof FolderInUseError) return error.message;
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

function stop(): void {
  void cloud.close().finally(() => process.exit(0));
}
