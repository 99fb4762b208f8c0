import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type CloudReply, type CloudRequest, type Handler, text } from '../http/exchange.ts';

export const faultyServices = [
  'authorize',
  'token',
  'revoke',
  'jwks',
  'cognito-idp',
  'cognito-identity',
  'graphql',
] as const;
export type FaultyService = (typeof faultyServices)[number];

const fault = z
  .strictObject({
    service: z.enum(faultyServices),
    /** Only this operation: an AWS operation, a `grant_type`, a GraphQL operation's name. */
    operation: z.string().optional(),
    kind: z.enum(['status', 'hang', 'slow', 'reset', 'html', 'invalid-json', 'error']),
    status: z.int().min(200).max(599).optional(),
    /** An AWS error's name, an OAuth error code. */
    error: z.string().optional(),
    delayMs: z.int().min(0).max(600_000).optional(),
    /** How many calls it hits; left out, all of them. */
    times: z.int().min(1).optional(),
  })
  .refine((value) => value.kind !== 'error' || value.error, { path: ['error'], error: 'names the error' })
  .refine((value) => value.kind !== 'status' || value.status, { path: ['status'], error: 'is the status' });

const settings = z.strictObject({
  faults: z.array(fault).max(100).default([]),
  /** Lifetime of ID and access tokens. */
  tokenSeconds: z.int().min(1).max(86_400).default(3_600),
  /** How long a replaced refresh token stays good. */
  rotationGraceSeconds: z.int().min(0).max(60).default(60),
  /** How far the cloud's clock is ahead of the machine's. */
  clockSkewSeconds: z.int().min(-86_400).max(86_400).default(0),
});

export type Fault = z.infer<typeof fault>;
export type FaultSettings = z.infer<typeof settings>;

/** What came of a fault instead of a reply: no answer ever, or a connection torn down. */
export type Breakage = { broken: 'hang' } | { broken: 'reset'; midBody: boolean };
export type FaultyHandler = (request: CloudRequest) => Promise<CloudReply | Breakage>;

/** Where a fault can strike: how the service names a call, and how it says that something is wrong. */
export type FaultPoint = {
  service: FaultyService;
  operationOf: (request: CloudRequest) => string | null;
  errorReply: (request: CloudRequest, error: string, status: number | undefined) => CloudReply;
};

export type Faults = {
  readonly settings: FaultSettings;
  /** Replaces what was set, from a JSON value; `{}` clears all. Throws `ZodError`. */
  set(value: unknown): void;
  /** Calls so far by service and operation, since the start or the last `forgetCalls`. */
  readonly calls: Record<string, Record<string, number>>;
  forgetCalls(): void;
  /** A handler that counts its calls and fails when it is told to. */
  around(point: FaultPoint, handler: Handler): FaultyHandler;
};

/** The failures that the local cloud can be told to show. */
export function createFaults(): Faults {
  let current = settings.parse({});
  let left: { fault: Fault; times: number }[] = [];
  let calls: Record<string, Record<string, number>> = {};

  function meet(service: FaultyService, operation: string): Fault | null {
    calls[service] = { ...calls[service], [operation]: (calls[service]?.[operation] ?? 0) + 1 };
    const next = left.find(
      ({ fault: { service: at, operation: only }, times }) =>
        times > 0 && at === service && (only === undefined || only === operation),
    );
    if (!next) return null;
    next.times -= 1;
    return next.fault;
  }

  return {
    get settings() {
      return current;
    },
    get calls() {
      return calls;
    },
    set(value) {
      current = settings.parse(value);
      left = current.faults.map((each) => ({ fault: each, times: each.times ?? Number.POSITIVE_INFINITY }));
    },
    forgetCalls() {
      calls = {};
    },
    around(point, handler) {
      return async (request) => {
        const met = meet(point.service, point.operationOf(request) ?? point.service);
        return met ? strike(met, point, request, handler) : handler(request);
      };
    },
  };
}

async function strike(
  { kind, status, error, delayMs }: Fault,
  point: FaultPoint,
  request: CloudRequest,
  handler: Handler,
): Promise<CloudReply | Breakage> {
  // It keeps no process alive that has nothing else to do.
  if (delayMs) await sleep(delayMs, undefined, { ref: false });
  switch (kind) {
    case 'hang':
      return { broken: 'hang' };
    case 'reset':
      return { broken: 'reset', midBody: status !== undefined };
    case 'slow':
      return handler(request);
    case 'html':
      return {
        status: status ?? 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
      };
    case 'invalid-json':
      return { status: status ?? 200, headers: { 'content-type': 'application/json' }, body: '{"access_' };
    case 'status':
      return text(status ?? 500, '', status === 429 || status === 503 ? { 'retry-after': '1' } : {});
    case 'error':
      return point.errorReply(request, error ?? '', status);
  }
}
