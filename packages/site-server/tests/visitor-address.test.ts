import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { addressBlock, createAddressFinder } from '../src/visitor-address.ts';

describe('the address block of a visitor', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3::6', '2001:db8:1:2::/64'],
    ['2001::2:3:4:5:6', '2001:0:0:2::/64'],
    ['::2:3:4:5:6:7', '0:0:2:3::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['x::ffff:192.0.2.1', 'x::ffff:192.0.2.1'],
    ['::ffff:192.0.2.10x', '::ffff:192.0.2.10x'],
    ['::ffff:192.0.2.256', '::ffff:192.0.2.256'],
    ['::ffff:1.2.3', '::ffff:1.2.3'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not an address', 'not an address'],
  ])('at %s is %s', (address, block) => expect(addressBlock(address)).toBe(block));
});

describe('the address of a visitor', () => {
  // threat-model: T-113
  it.each([
    [0, '192.0.2.1, 192.0.2.2', '127.0.0.1'],
    [1, '192.0.2.1, 192.0.2.2', '192.0.2.2'],
    [2, '192.0.2.1, 192.0.2.2', '192.0.2.1'],
    [3, '192.0.2.1, 192.0.2.2', '192.0.2.1'],
    [1, undefined, '127.0.0.1'],
    [1, '192.0.2.1:50123', '192.0.2.1'],
    [1, '[2001:db8::1]:443', '2001:db8::1'],
    [1, '[2001:db8::1]', '2001:db8::1'],
    [1, '2001:db8::1', '2001:db8::1'],
    [1, '::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    [1, '192.0.2.1:_gazonk', '192.0.2.1'],
    [1, '192.0.2.1, unknown', '127.0.0.1'],
    [1, '_hidden', '127.0.0.1'],
    [1, '192.0.2.256:1', '127.0.0.1'],
    [1, '[192.0.2.1', '127.0.0.1'],
    [2, 'chosen by the visitor, 192.0.2.2:80', '192.0.2.2'],
    [2, '192.0.2.1:80, nonsense', '192.0.2.1'],
  ])('behind %i trusted proxies, which state “%s”, is %s', (proxies, forwarded, address) => {
    // Nothing else of a request is read.
    const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '127.0.0.1' } };
    expect(createAddressFinder(proxies)(request as unknown as IncomingMessage)).toBe(address);
  });
});
