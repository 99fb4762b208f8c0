import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  type BrokenConnection,
  type CloudRequest,
  type CloudResponse,
  type Handler,
  text,
  type UnreliableHandler,
} from '../http/exchange.ts';

const faultyServices = [
  'authorize',
  'token',
  'revoke',
  'jwks',
  'cognito-idp',
  'cognito-identity',
  'graphql',
  'real-time',
] as const;

/** A service whose calls are counted and can fail. */
export type FaultyService = (typeof faultyServices)[number];

/** The README describes every setting. */
const faultSchema = z
  .strictObject({
    service: z.enum(faultyServices),
    operation: z.string().optional(),
    kind: z.enum(['status', 'hang', 'slow', 'reset', 'html', 'invalid-json', 'error']),
    status: z.int().min(200).max(599).optional(),
    error: z.string().optional(),
    message: z.string().default('This error was injected.'),
    delayMs: z.int().min(0).max(600_000).default(0),
    times: z.int().min(1).default(Number.MAX_SAFE_INTEGER),
  })
  .refine(({ kind, error }) => kind !== 'error' || error, {
    path: ['error'],
    error: 'is required for a fault of kind "error"',
  })
  .refine(({ kind, status }) => kind !== 'status' || status, {
    path: ['status'],
    error: 'is required for a fault of kind "status"',
  });
const settingsSchema = z.strictObject({
  faults: z.array(faultSchema).max(100).default([]),
  tokenSeconds: z.int().min(1).max(86_400).default(3_600),
  rotationGraceSeconds: z.int().min(0).max(60).default(60),
  realTimeTimeoutMs: z.int().min(1_000).max(300_000).default(300_000),
  clockSkewSeconds: z.int().min(-86_400).max(86_400).default(0),
  deniedFields: z
    .array(z.string().regex(/^\w+\.\w+$/))
    .max(100)
    .default([]),
});
type Fault = z.infer<typeof faultSchema>;
export type FaultSettings = z.infer<typeof settingsSchema>;

/** How one service names its operations and formats its errors. */
export type FaultPoint = {
  /** Returns the operation of a request. A service with a single operation has none. */
  operationOf?(request: CloudRequest): string | null;
  /** Without a `status` the service uses its own. */
  errorResponse(
    request: CloudRequest,
    error: { type: string; message: string; status: number | undefined },
  ): CloudResponse;
};

/** The fault injection of the local cloud. */
export class Faults {
  /** The number of calls by service and operation since the start or the last `forgetCalls`. */
  calls: Record<string, Record<string, number>> = {};
  #settings = settingsSchema.parse({});

  get settings(): FaultSettings {
    return this.#settings;
  }

  /** Replaces all settings with those of a JSON value; `{}` removes all faults. Throws `ZodError`. */
  set(value: unknown): void {
    this.#settings = settingsSchema.parse(value);
  }

  forgetCalls(): void {
    this.calls = {};
  }

  /** Returns a handler that counts the calls of `handler` and injects the faults for them. */
  around(service: FaultyService, point: FaultPoint, handler: Handler): UnreliableHandler {
    return async (request) => {
      const operation = point.operationOf?.(request) ?? service;
      const counts = this.calls[service] ?? {};
      this.calls[service] = { ...counts, [operation]: (counts[operation] ?? 0) + 1 };
      const fault = this.#settings.faults.find(
        (candidate) =>
          candidate.times > 0 &&
          candidate.service === service &&
          (candidate.operation ?? operation) === operation,
      );
      if (!fault) return handler(request);
      fault.times -= 1;
      return injectFault(fault, point, request, handler);
    };
  }
}

async function injectFault(
  { kind, status, error = '', message, delayMs }: Fault,
  point: FaultPoint,
  request: CloudRequest,
  handler: Handler,
): Promise<CloudResponse | BrokenConnection> {
  // The timer does not keep the process running.
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
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
      return point.errorResponse(request, { type: error, message, status });
  }
}
