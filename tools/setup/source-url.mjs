// The address of the source code on the web, from the remote of this clone.
import { spawnSync } from 'node:child_process';

/** `git@host:path` and `ssh://git@host/path`. */
const SSH_REMOTE = /^(?:git@([\w.-]+):|ssh:\/\/git@([\w.-]+)\/)(.+)$/;
/** A name in the public DNS: at least two labels, of which the last one is not a number. */
const PUBLIC_HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;
/** Names for private networks (RFC 2606, RFC 6762, and ICANN's reservation of `internal`). */
const PRIVATE_SUFFIX = /\.(?:example|home|internal|invalid|lan|local|localhost|test)$/i;
const REPOSITORY_PATH = /^[\w.~-]+(?:\/[\w.~-]+)+$/;

/** The `https` address of `remote.origin.url` of this clone, or null if there is none that visitors can open. */
export function sourceUrlOfClone() {
  const { status, stdout } = spawnSync('git', ['config', '--get', 'remote.origin.url'], { encoding: 'utf8' });
  return status === 0 ? toSourceUrl(stdout.trim()) : null;
}

/**
 * The `https` address of a public remote, without user name, password, port and `.git`. Null for every other remote, such
 * as a folder or a host in a private network.
 * @param {string} remote
 * @returns {string | null}
 */
export function toSourceUrl(remote) {
  const { host, path } = splitSsh(remote) ?? splitHttps(remote) ?? { host: '', path: '' };
  const repository = path.replace(/\/+$/, '').replace(/\.git$/, '');
  const isPublic = PUBLIC_HOST.test(host) && !PRIVATE_SUFFIX.test(host);
  const isRepository = REPOSITORY_PATH.test(repository) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(repository);
  return isPublic && isRepository ? `https://${host.toLowerCase()}/${repository}` : null;
}

/** @param {string} remote */
function splitSsh(remote) {
  const [, short, long, path] = SSH_REMOTE.exec(remote) ?? [];
  return path === undefined ? null : { host: short ?? long ?? '', path };
}

/** @param {string} remote */
function splitHttps(remote) {
  const url = URL.canParse(remote) ? new URL(remote) : null;
  if (url?.protocol !== 'https:' || url.port !== '') return null;
  return { host: url.hostname, path: url.pathname.slice(1) };
}
