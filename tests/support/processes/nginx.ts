/** A real nginx with the configuration of `deploy/nginx`, and a certificate that is made for the test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNginx, findOpenssl } from '../../../tools/setup/nginx.mjs';
import { startServer, stopChild } from './child-process.ts';

const CONFIGURATION = 'deploy/nginx/tenfold.conf';

export type NginxPorts = {
  /** Where the site listens. */
  site: number;
  http: number;
  https: number;
};

export type Nginx = {
  /** The certificate of https://localhost, in PEM. */
  certificate: string;
  /** Everything that nginx has logged so far: access log and error logs. */
  logs(): string;
  stop(): Promise<void>;
};

const program = findNginx();
const openssl = findOpenssl();

/** Whether nginx and openssl are installed. Tests that need them are skipped otherwise. */
export const hasNginx = program !== null && openssl !== null;
if (!hasNginx) process.stdout.write('nginx or openssl is not installed: tests that need them are SKIPPED.\n');

/** Returns the shipped configuration with the names, ports and paths of a test. */
function adaptConfiguration(ports: NginxPorts, folder: string): string {
  return readFileSync(CONFIGURATION, 'utf8')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.site}`)
    .replaceAll(/(listen (?:\[::\]:)?)80\b/g, `$1${ports.http}`)
    .replaceAll(/(listen (?:\[::\]:)?)443\b/g, `$1${ports.https}`)
    .replaceAll('https://example.com', `https://localhost:${ports.https}`)
    .replaceAll('/etc/letsencrypt/live/example.com', folder)
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('server_name example.com', 'server_name localhost');
}

/** What stands around the site's configuration. Compression is on, as in Debian's nginx.conf, and for more types. */
function surroundingConfiguration(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(folder, name)};`,
  );
  return [
    // A single process leaves no worker behind when it is killed.
    'daemon off;',
    'master_process off;',
    `pid ${join(folder, 'nginx.pid')};`,
    `error_log ${join(folder, 'error.log')};`,
    'events { worker_connections 1024; }',
    'http {',
    ...temporary,
    '  gzip on;',
    '  gzip_types *;',
    `  include ${join(folder, 'tenfold.conf')};`,
    '}',
    '',
  ].join('\n');
}

function createCertificate(openssl: string, folder: string): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  execFileSync(openssl, ['req', '-x509', ...key, '-days', '2', ...name, ...files], { stdio: 'pipe' });
  return readFileSync(join(folder, 'fullchain.pem'), 'utf8');
}

/**
 * Starts nginx in front of the site, with `environment` added to that of the process. Resolves when it accepts connections.
 */
export async function startNginx(
  ports: NginxPorts,
  environment: Record<string, string> = {},
): Promise<Nginx> {
  if (program === null || openssl === null) throw new Error('nginx or openssl is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const certificate = createCertificate(openssl, folder);
  writeFileSync(join(folder, 'tenfold.conf'), adaptConfiguration(ports, folder));
  writeFileSync(join(folder, 'nginx.conf'), surroundingConfiguration(folder));
  // The first log is used until nginx has read its configuration.
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  const child = await startServer(program, args, { port: ports.https, environment });
  return {
    certificate,
    logs() {
      const logs = readdirSync(folder).filter((file) => file.endsWith('.log'));
      return logs.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
    },
    async stop() {
      await stopChild(child, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
