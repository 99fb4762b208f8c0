import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BrokenConnection,
  type CloudRequest,
  type CloudResponse,
  type Handler,
  text,
  type UnreliableHandler,
} from '../http/exchange.ts';
import { type Fault, type FaultSettings, type FaultyService, parseFaultSettings } from './fault-settings.ts';

/** The error of a fault. Without a `status` the service uses its own. */
export type InjectedError = { type: string; message: string; status: number | undefined };

/** How one service names its operations and formats its errors. */
export type FaultPoint = {
  service: FaultyService;
  /** Returns the operation of a request, or null for a service with a single operation. */
  operationOf: (request: CloudRequest) => string | null;
  errorResponse: (request: CloudRequest, error: InjectedError) => CloudResponse;
};

const ERROR_MESSAGE = 'This error was injected.';

/** The number of calls by service and operation. */
type CallCounts = Record<string, Record<string, number>>;

export type Faults = {
  readonly settings: FaultSettings;
  /** Replaces all settings with those of a JSON value; `{}` removes all faults. Throws `ZodError`. */
  set(value: unknown): void;
  /** The calls since the start or the last `forgetCalls`. */
  readonly calls: CallCounts;
  /** Sets all counts back to zero. */
  forgetCalls(): void;
  /** Returns a handler that counts the calls of `handler` and injects the faults for them. */
  around(point: FaultPoint, handler: Handler): UnreliableHandler;
};

/** Creates the fault injection of the local cloud, without any faults. */
export function createFaults(): Faults {
  let settings = parseFaultSettings({});
  let remaining: { fault: Fault; times: number }[] = [];
  let calls: CallCounts = {};

  /** Returns the first fault that applies to a call, and counts its use. */
  function consumeFault(service: FaultyService, operation: string): Fault | null {
    const next = remaining.find(({ fault, times }) => times > 0 && appliesTo(fault, service, operation));
    if (!next) return null;
    next.times -= 1;
    return next.fault;
  }

  return {
    get settings() {
      return settings;
    },
    get calls() {
      return calls;
    },
    set(value) {
      settings = parseFaultSettings(value);
      remaining = settings.faults.map((fault) => ({ fault, times: fault.times ?? Number.POSITIVE_INFINITY }));
    },
    forgetCalls() {
      calls = {};
    },
    around(point, handler) {
      return async (request) => {
        const operation = point.operationOf(request) ?? point.service;
        countCall(calls, point.service, operation);
        const fault = consumeFault(point.service, operation);
        return fault ? injectFault(fault, point, request, handler) : handler(request);
      };
    },
  };
}

function countCall(calls: CallCounts, service: FaultyService, operation: string): void {
  calls[service] = { ...calls[service], [operation]: (calls[service]?.[operation] ?? 0) + 1 };
}

function appliesTo(fault: Fault, service: FaultyService, operation: string): boolean {
  return fault.service === service && (fault.operation === undefined || fault.operation === operation);
}

async function injectFault(
  { kind, status, error, message, delayMs }: Fault,
  point: FaultPoint,
  request: CloudRequest,
  handler: Handler,
): Promise<CloudResponse | BrokenConnection> {
  // The timer does not keep the process running.
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
      return point.errorResponse(request, { type: error ?? '', message: message ?? ERROR_MESSAGE, status });
  }
}
