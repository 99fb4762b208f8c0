/** Forms and JSON around the limits, in the shapes that are expensive to parse. */
import { shippedQuery } from '../http/shipped-operations.ts';
import { split } from './fuzz-values.ts';
import { largeDocument } from './large-documents.ts';
import { limits } from './limits.ts';
import { lengthAround, longText } from './long-texts.ts';
import type { SeededRandom } from './seeded-random.ts';

export type TypedBody = { type: string; body: string };

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=x';
const FIELDS = split('content intent id key theme locale languageOffer returnTo a');

/** Returns a form, rarely one beyond the limit. */
export function largeForm(random: SeededRandom): TypedBody {
  const length = lengthAround(random, limits.form, random.oneIn(4) ? limits.operationBody : limits.form);
  return random.oneIn(2) ? urlencodedForm(random, length) : multipartForm(random, length);
}

function urlencodedForm(random: SeededRandom, length: number): TypedBody {
  const field = random.pick(FIELDS);
  const body = random.pick([
    () => `${field}=${longText(random, length).replaceAll('&', '%26')}`,
    () => `theme=dark&${field}=${longText(random, length)}`,
    () => repeatTo(`${field}=b&`, length),
    () => Array.from({ length: length / 10 }, (_, index) => `f${index}=`).join('&'),
    () => repeatTo('&', length),
    () => repeatTo('%', length),
    () => `content=${repeatTo('%E2%82%AC', length)}`,
    () => `locale=fr&returnTo=/${longText(random, length)}`,
  ])();
  return { type: URLENCODED, body: body.slice(0, length) };
}

function multipartForm(random: SeededRandom, length: number): TypedBody {
  const part = (name: string, value: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const end = '--x--\r\n';
  const field = random.pick(FIELDS);
  const body = random.pick([
    () => repeatTo(part('a', ''), length),
    () => repeatTo(part(field, 'pink'), length),
    () => repeatTo('--x\r\n', length),
    () => `--x\r\ncontent-disposition: form-data; name="${repeatTo('a', length)}"`,
    () => `--x\r\n${repeatTo('x-header: y\r\n', length)}\r\n\r\n`,
    () => part('a', repeatTo('\r\n', length)),
    () => part(field, repeatTo('\r\n--', length)),
    () => part(field, longText(random, length)),
    () =>
      `--x\r\ncontent-disposition: form-data; name="f"; filename="${repeatTo('\\"', length / 2)}"\r\n\r\n\r\n`,
  ])();
  return { type: MULTIPART, body: body.slice(0, Math.max(0, length - end.length)) + end };
}

/** Returns JSON for the GraphQL proxy, often a complete operation. */
export function largeOperation(random: SeededRandom): TypedBody {
  const length = lengthAround(random, limits.operationBody, limits.operationBody + 100);
  const value = () => largeValue(random, length);
  const shipped = JSON.stringify(shippedQuery.query);
  const body = random.pick([
    () => JSON.stringify({ query: largeDocument(random), operationName: 'Q', variables: { a: 'x' } }),
    () => `{"query":${shipped},"variables":{"limit":${value()}}}`,
    () => `{"query":${shipped},"variables":${value()}}`,
    () => `{"query":${shipped},"operationName":${value()}}`,
    () => `{"query":${shipped},"extensions":${value()}}`,
    () => `{"query":${shipped},"documentId":${value()}}`,
    () => `{"query":${value()}}`,
    value,
  ])();
  return { type: 'application/json', body: body.slice(0, limits.operationBody + 100) };
}

/** Returns reports of policy violations. */
export function largeReport(random: SeededRandom): TypedBody {
  const length = lengthAround(random, 32 * 1024, limits.form);
  const value = longText(random, length).replace(/["\\]/g, '');
  const body = random.pick([
    () =>
      `{"csp-report":{"document-uri":"${value}","blocked-uri":"${value.slice(0, 100)}","effective-directive":"img-src"}}`,
    () =>
      `[${repeatTo('{"type":"csp-violation","body":{"effectiveDirective":"img-src","documentURL":"x"}},', length)}{}]`,
    () => largeValue(random, length),
  ])();
  return {
    type: random.pick(['application/csp-report', 'application/reports+json']),
    body: body.slice(0, length),
  };
}

/** Returns a JSON value of about `length` characters: deep, wide, or one long text or number. */
function largeValue(random: SeededRandom, length: number): string {
  const depth = Math.floor(length / 2);
  return random.pick([
    () => '['.repeat(depth) + ']'.repeat(depth),
    () => `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`,
    () => `[${repeatTo('0,', length)}0]`,
    () => `[${repeatTo('[],', length)}[]]`,
    () => `{${Array.from({ length: length / 12 }, (_, index) => `"k${index}":1`).join(',')}}`,
    () => `{${repeatTo('"__proto__":{},', length)}"a":1}`,
    () => JSON.stringify(longText(random, length / 2)),
    () => `"${repeatTo('\\u20ac', length)}"`,
    () => repeatTo('9', length),
    () => `1e${repeatTo('9', length)}`,
    () => repeatTo(' ', length),
  ])();
}

function repeatTo(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)));
}
