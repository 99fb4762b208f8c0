/** `npm run cloud`: the local cloud as a process of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalCloud, startLocalCloud } from './start.ts';
import type { Mail } from './user-pool/outbox.ts';

const {
  CLOUD_PORT = '4000',
  SITE_ORIGIN = 'http://localhost:3000',
  CLOUD_DATA = '.local-cloud',
  NODE_ENV,
} = process.env;

if (NODE_ENV === 'production') {
  console.error('The local cloud does not run in production: it is a stand-in for developing and testing.');
  process.exit(1);
}

const siteOrigins = SITE_ORIGIN.split(',').map((origin) => new URL(origin.trim()).origin);
const cloud = await start();
const environment = cloud.environment();
writeEnvironment({ APP_ORIGIN: siteOrigins[0] ?? '', ...environment });
console.log(`Local cloud   ${cloud.origin}`);
console.log(`Outbox        ${cloud.origin}/_outbox`);
// Only there when another process has forked this one.
process.send?.({ ready: true, origin: cloud.origin, environment });

process.once('disconnect', stop);
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

async function start(): Promise<LocalCloud> {
  try {
    return await startLocalCloud({
      port: Number(CLOUD_PORT),
      siteOrigins,
      dataDir: CLOUD_DATA,
      onMail: printMail,
    });
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    console.error(isTaken ? `Port ${CLOUD_PORT} is taken; CLOUD_PORT chooses another.` : error);
    return process.exit(1);
  }
}

function printMail({ to, subject, code }: Mail): void {
  console.log(`\nMail to ${to}\n  ${subject}${code === null ? '' : `\n  Code: ${code}`}\n`);
}

/** For whoever starts the site by hand, with `node --env-file`. Its own secrets are not this process's to make. */
function writeEnvironment(variables: Record<string, string>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(CLOUD_DATA, 'site.env'), lines.join(''), { mode: 0o600 });
}

function stop(): void {
  void cloud.close().finally(() => process.exit(0));
}
