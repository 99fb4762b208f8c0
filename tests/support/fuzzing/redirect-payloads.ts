/** Open-redirect payloads: URLs that leave the site when a redirect treats them as paths. */

export const EVIL_HOST = 'evil.example';

const schemes = [
  '',
  '//',
  '///',
  '/\\',
  '\\\\',
  '\\/',
  '/\t/',
  '\t//',
  '/\n/',
  '/.//',
  '/x/..//',
  '/%2e%2f/',
  '/./\\',
  'https://',
  'https:',
  'https:\\\\',
  'http:/\\',
  '//%0d%0a',
  ' //',
  '\u00a0//',
  '\ufeff//',
  'ftp://',
];
const hosts = [
  EVIL_HOST,
  `localhost@${EVIL_HOST}`,
  `localhost:3000@${EVIL_HOST}`,
  `${EVIL_HOST}%00.localhost`,
  `${EVIL_HOST}\\@localhost`,
  'evil。example',
  '[::1]',
  '2130706433',
];
const others = [
  `javascript:alert(1)//${EVIL_HOST}`,
  `JaVa\tScRiPt:alert(1)`,
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:http://localhost/x',
  'file:///etc/passwd',
  'view-source:http://localhost/',
  `/auth/sign-in?returnTo=//${EVIL_HOST}`,
  '/auth/sign-out',
  `/%5c${EVIL_HOST}`,
  `/%2f%2f${EVIL_HOST}`,
  `/%252f%252f${EVIL_HOST}`,
  `/\r\nLocation: https://${EVIL_HOST}/`,
  `/%0d%0aLocation:%20https://${EVIL_HOST}/`,
  `/\u0000//${EVIL_HOST}`,
  `/;@${EVIL_HOST}`,
  `/?x=//${EVIL_HOST}`,
  `/#//${EVIL_HOST}`,
];

/** Every combination of scheme and host, and further payloads. */
export const redirectPayloads: readonly string[] = [
  ...schemes.flatMap((scheme) => hosts.map((host) => scheme + host)),
  ...others,
];

/** Returns the origin and protocol that a browser on `page` would navigate to, or `none` for an invalid URL. */
export function destinationOf(location: string, page: string): { origin: string; protocol: string } {
  if (!URL.canParse(location, page)) return { origin: 'none', protocol: 'none' };
  const { origin, protocol } = new URL(location, page);
  return { origin, protocol };
}
