/** The network address of a visitor: what limits per visitor count by where there is no session. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import proxyAddr from 'proxy-addr';

/** Creates the function that returns the address of a request's visitor, by what `trustedProxies` proxies state. */
export function createAddressFinder(trustedProxies: number): (request: IncomingMessage) => string {
  const isTrusted = (_address: string, hops: number) => hops < trustedProxies;
  return (request) => {
    const [own = '', ...stated] = proxyAddr.all(request, isTrusted);
    return stated.map(parseStatedAddress).findLast((address) => address !== null) ?? own;
  };
}

/**
 * Returns the address that a proxy states for what has connected to it, without brackets and port (RFC 7239 section 6), or
 * null for `unknown` and for anything else. That counts as an address of the proxy.
 */
export function parseStatedAddress(text: string): string | null {
  const address = text.trim().replace(/^(?:\[(.*)\]|([\d.]+))(?::[\w.-]+)?$/, '$1$2');
  return isIP(address) === 0 ? null : address;
}

/** Returns an IPv4 address, or the /64 prefix that an IPv6 subscriber has at least (RFC 6177). */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped && isIPv4(mapped)) return mapped;
  const plain = address.replace(/%.*/, '');
  if (!isIPv6(plain)) return address;
  // The URL parser normalizes every form of an address (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const missing = 8 - groupsOf(canonical).length;
  const complete = canonical.replace('::', `:${'0:'.repeat(missing)}`);
  return `${groupsOf(complete).slice(0, 4).join(':')}::/64`;
}

/** The groups of an IPv6 address that it spells out: none for those that `::` stands for. */
function groupsOf(address: string): string[] {
  return address.split(':').filter((group) => group !== '');
}
