/** The values that fuzzed requests consist of. */

/** Markup that no page may contain unescaped. */
export const MARKUP = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>'] as const;

/** Returns the words of a text. */
export const split = (text: string): string[] => text.trim().split(/\s+/);

export const otherPaths = [
  ...split(`/auth/sign-in /auth/sign-up /auth/callback /auth/sign-out /api/graphql /api/identity
    /api/icons/lucide.json /preferences /sitemap.xml /robots.txt /csp-reports /.well-known/security.txt /manifest.webmanifest`),
  ...split('/assets/x.js /favicon.ico /locales/fr/common.json /healthz /readyz /builds/latest.json'),
  ...split('/__manifest /_root.data /nowhere /.env /.git/HEAD /server.ts.map /en /FR/'),
];

export const methods = split(
  'GET GET GET GET GET GET HEAD POST POST POST POST POST PUT PATCH DELETE OPTIONS TRACE PROPFIND',
);

export const parameters =
  split(`returnTo locale theme content intent id code state error error_description iss
  lang after icons _routes _data index p version __proto__ constructor`);

export const values = [
  ...MARKUP,
  '',
  '[object Object]',
  ...split('0 -1 NaN null undefined true [] {} é \u202e 💥'),
  '\ufeff',
  ...split('__proto__ constructor toString hasOwnProperty lng {{count}} $t(common:home) #{7*7}'),
  ...split('//evil.example /\\evil.example https://evil.example/ javascript:alert(1) /auth/sign-out /.//x'),
  ...split('%00 % %zz %c0%ae%c0%ae/ ..%2f..%2fetc%2fpasswd ../../etc/passwd %0d%0aset-cookie:%20a=b'),
  ...["' or 1=1--", '; cat /etc/passwd', '$(id)', '| id'],
  ...['a'.repeat(500), 'a'.repeat(3000), '/a'.repeat(300), '('.repeat(400)],
  ...split('fr ar dark /fr/test-message access_denied server_error a,b root delete en-US,fr;q=0.9'),
];

export const contentTypes = [
  ...split('application/x-www-form-urlencoded application/json text/plain text/html'),
  'application/json; charset=utf-8',
  'multipart/form-data; boundary=x',
  'multipart/form-data; boundary=',
  ...split('multipart/form-data x / ;;'),
  '',
];

export const hosts = split('evil.example localhost localhost:1 127.0.0.1 [::1]:80 a@b LOCALHOST:/x');

export const headerNames =
  split(`accept accept-language accept-encoding origin referer sec-fetch-site sec-fetch-dest
  sec-purpose range if-none-match if-modified-since if-match if-unmodified-since x-forwarded-for x-forwarded-host
  x-forwarded-proto forwarded x-original-url x-rewrite-url x-http-method-override x-remix-revalidate authorization
  x-amz-date content-encoding upgrade te expect x-request-id traceparent cache-control via user-agent`);

export const headerValues = [
  ...values,
  ...split('text/html */* application/json same-origin cross-site none document empty prefetch gzip'),
  ...split('bytes=0-0 bytes=999999999- W/"x" 100-continue fr;q= websocket h2c br;q=9,x'),
  `bytes=${'0-,'.repeat(200)}`,
  '"x", *',
  '127.0.0.1, ::1',
  'de-AT;q=0.9,*;q=x',
  ', '.repeat(200),
  `en${'-a'.repeat(250)}`,
  'Thu, 01 Jan 1970 00:00:00 GMT',
];

export const cookieNames = [
  ...split(
    'session session.1 session.99 oauth.x guest notice outcome locale theme __Host-session __proto__ a',
  ),
  ...['session.a b.1', 'session.1.1', 'oauth.a b', 'oauth."x"', 'oauth.'],
];
