/** Return addresses that lead away from the site when a redirect treats them as paths. */
import { locales } from '../../../app/i18n/locales.ts';
import { percentEncode } from '../http/raw-request.ts';
import { split } from './fuzz-values.ts';
import type { SeededRandom } from './seeded-random.ts';

export const EVIL_HOST = 'evil.example';

const PREFIXES = [
  ...['', '', ''],
  ...split('/. /.. /x/.. /%2e /./. /x /test-message /auth /en /FR /fr/fr'),
  ...locales.map(({ code }) => `/${code}`),
];
const SLASHES = split(String.raw`/ / / / \ \ %2f %5c %2F %5C %252f ／ ＼ ∕ ⧸ ./ .`);
/** What a browser takes for the slashes before a host, and one slash. */
const HOST_SLASHES = split(String.raw`/ // /\ \/ \\ /// /.//`);
const IGNORED = [
  ...['\t', '\n', '\r', '\r\n', '\0', ' ', '\u00a0', '\ufeff', '\u200b', '\u202e'],
  ...split('%09 %0a %0d %00 %20'),
];
const SCHEMES =
  split(`https: http: HTTPS: javascript: JaVaScRiPt: data:text/html, ftp: blob:http: file: view-source:http:
  ws: about: mailto: x: : :// http https&colon;`);
const USERS = [
  ...['', '', '', ''],
  ...split(String.raw`localhost@ localhost:3000@ user:pass@ :@ @ localhost%40 localhost\@`),
];
const HOSTS = [
  ...[EVIL_HOST, EVIL_HOST, EVIL_HOST, `/${EVIL_HOST}`, `${EVIL_HOST}.`, `${EVIL_HOST}:80`, ''],
  ...[`localhost.${EVIL_HOST}`, `${EVIL_HOST}%00.localhost`, `${EVIL_HOST}\\@localhost`, 'localhost'],
  ...split('evil。example ｅvil.example %65vil.example [::1] 2130706433 0x7f.1 auth/sign-in auth/sign-out'),
];
const TAILS = [
  ...['', '', '', '&redirect_uri=https://evil.example/', '\r\nLocation: https://evil.example/'],
  ...split('/ /x /x/ // /.. /../.. /. ?a=b #x ? # % %zz .data /é /;@x /auth/sign-out ?index ?_data=root'),
  ...[`?returnTo=//${EVIL_HOST}`, `#//${EVIL_HOST}`, '/%0d%0aLocation:%20https://evil.example/'],
];

/** Returns one address. It may also be harmless. */
export function redirectAddress(random: SeededRandom): string {
  const slashes = random.oneIn(2)
    ? random.pick(HOST_SLASHES)
    : Array.from({ length: random.below(5) }, () => random.pick(SLASHES)).join('');
  const scheme = random.oneIn(2) ? '' : random.pick(SCHEMES);
  const address =
    random.pick(PREFIXES) +
    (random.oneIn(2) ? scheme + slashes : slashes + scheme) +
    random.pick(USERS) +
    random.pick(HOSTS) +
    random.pick(TAILS);
  return random.oneIn(2) ? address : alter(random, address);
}

/** Inserts, doubles, encodes or moves something. */
function alter(random: SeededRandom, address: string): string {
  const at = random.below(address.length + 1);
  const [before, after] = [address.slice(0, at), address.slice(at)];
  const encode = (text: string) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return random.pick([
    () => before + random.pick(IGNORED) + after,
    () => random.pick(IGNORED) + address,
    () => address + random.pick(IGNORED),
    () => before + random.pick(SLASHES) + after,
    () => before + random.pick(PREFIXES) + after,
    () => before + encode(after.slice(0, 1)) + after.slice(1),
    () => encode(address),
    () => percentEncode(address),
    () => address.replaceAll('/', '\\'),
    () => address.replace('/', `/${random.pick(IGNORED)}`),
    () => address + address,
    () => address.toUpperCase(),
    () => `${address}${'/a'.repeat(random.pick([10, 400, 2000]))}`,
  ])();
}
