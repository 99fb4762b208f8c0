/** The head of every response: its id, what a browser may do with it, and the cookies that the request's work left. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { AppLoadContext } from '@remix-run/node';
import type { RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';
import type { Env } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createRequestRecord, describeAsked, seenStatus } from '../observability/request-log.ts';
import { baseHeaders, INERT_POLICY } from './security-headers.ts';

/** What is kept on Express's response until the head is sent. */
export type Locals = {
  requestId: string;
  nonce: string;
  /** Of the route that answers; none for files, health checks and refusals. */
  routeId?: string | null;
  context?: AppLoadContext;
};

type ResponseHeadDeps = { env: Pick<Env, 'appOrigin'>; log: Log; metrics: Metrics };

/** Gives every response its id and, when its head is sent, the headers and cookies that it has not set itself. */
export function openResponse(deps: ResponseHeadDeps): RequestHandler {
  const headers = baseHeaders(deps.env);
  const scheme = new URL(deps.env.appOrigin).protocol.slice(0, -1);
  const record = createRequestRecord(deps);
  return (request, response, next) => {
    const startedAt = performance.now();
    const locals: Locals = { requestId: randomUUID(), nonce: randomBytes(16).toString('base64url') };
    Object.assign(response.locals, locals);
    // The configured origin alone says where the site is.
    delete request.headers['x-forwarded-host'];
    request.headers['x-forwarded-proto'] = scheme;
    response.setHeader('x-request-id', locals.requestId);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    onHeaders(response, () => finishHead(response));
    response.on('close', () => {
      const { requestId, routeId: route = null, context } = response.locals as Locals;
      const asked = describeAsked(route, request.method, request.path);
      const ms = performance.now() - startedAt;
      const session = context?.session ?? null;
      record({ requestId, asked, status: seenStatus(response), ms, session });
    });
    next();
  };
}

function finishHead(response: Response): void {
  const { context } = response.locals as Partial<Locals>;
  const cookies = context?.cookies.lines() ?? [];
  for (const line of cookies) response.append('set-cookie', line);
  if (!response.hasHeader('content-security-policy')) {
    response.setHeader('content-security-policy', INERT_POLICY);
  }
  // A shared cache must not hand one visitor's cookie to another, whatever the route said.
  if (cookies.length > 0 || !response.hasHeader('cache-control')) {
    response.setHeader('cache-control', 'private, no-store');
  }
  if (response.statusCode === 405 && !response.hasHeader('allow')) response.setHeader('allow', 'GET, HEAD');
}
