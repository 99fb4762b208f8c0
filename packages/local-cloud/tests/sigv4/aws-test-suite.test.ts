import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { WireRequest } from '../../sigv4/canonical-request.ts';
import { type AccessKey, verifySignature } from '../../sigv4/sigv4-verifier.ts';

const SUITE = new URL('../../../../tests/fixtures/aws-sigv4/', import.meta.url);

const contextSchema = z.object({
  credentials: z.object({
    access_key_id: z.string(),
    secret_access_key: z.string(),
    token: z.string().nullable().default(null),
  }),
  region: z.string(),
  service: z.string(),
  timestamp: z.iso.datetime(),
  normalize: z.boolean(),
});

describe("AWS's test suite", () => {
  const names = readdirSync(SUITE, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const normalized = names.filter((name) => readContext(name).normalize);

  test('is complete', () => {
    expect(names).toHaveLength(38);
    expect(normalized).toHaveLength(31);
  });

  // `post-sts-header-after` has an unsigned session token, which AppSync does not accept.
  test.each(normalized.filter((name) => name !== 'post-sts-header-after'))(
    '%s: the signature is accepted',
    (name) => {
      expect(verifyVector(name).secretAccessKey).toBe(readContext(name).credentials.secret_access_key);
    },
  );

  test.each(names.filter((name) => name.endsWith('-unnormalized') && name !== 'get-space-unnormalized'))(
    '%s: a signature in the form of S3 is rejected',
    (name) => {
      expect(() => verifyVector(name)).toThrow(/does not match/);
    },
  );
});

function read(name: string, file: string): string {
  // One character per byte, as node:http decodes headers.
  return readFileSync(new URL(`${name}/${file}`, SUITE), 'latin1');
}

function readContext(name: string): z.infer<typeof contextSchema> {
  return contextSchema.parse(JSON.parse(read(name, 'context.json')));
}

function readSignedRequest(name: string): WireRequest {
  const [head = '', ...body] = read(name, 'header-signed-request.txt').split('\n\n');
  const [requestLine = '', ...lines] = head.replace(/\n[ \t]+/g, ' ').split('\n');
  return {
    method: requestLine.slice(0, requestLine.indexOf(' ')),
    rawPath: requestLine.slice(requestLine.indexOf(' ') + 1, requestLine.lastIndexOf(' ')),
    rawHeaders: lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)];
    }),
    body: Buffer.from(body.join('\n\n'), 'latin1'),
  };
}

function verifyVector(name: string): AccessKey {
  const { credentials, region, service, timestamp } = readContext(name);
  const now = Date.parse(timestamp);
  return verifySignature(readSignedRequest(name), {
    region,
    service,
    now,
    findAccessKey: (id) =>
      id === credentials.access_key_id
        ? {
            secretAccessKey: credentials.secret_access_key,
            sessionToken: credentials.token,
            expiration: now + 3_600_000,
          }
        : undefined,
  });
}
