import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CloudReply, CloudRequest, Handler } from './exchange.ts';

/** An error of an AWS service's own model, such as `NotAuthorizedException`. */
export class AwsError extends Error {
  override readonly name = 'AwsError';

  constructor(
    readonly type: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** One operation: takes the parsed body, answers what is sent back, throws `AwsError`. A `ZodError` is the caller's fault. */
export type AwsOperation = (input: unknown, request: CloudRequest) => unknown;

/**
 * The AWS JSON 1.1 protocol: `POST /` with `X-Amz-Target: {service}.{operation}`.
 * https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export function awsJsonService(service: string, operations: Record<string, AwsOperation>): Handler {
  return async (request) => {
    try {
      const name = operationName(request, service);
      const operation = name !== null && Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (request.method !== 'POST' || !operation) throw new AwsError('UnknownOperationException', '');
      return awsReply(200, await operation(parseBody(request.body), request));
    } catch (error) {
      if (error instanceof AwsError) return awsErrorReply(error.type, error.message, error.status);
      if (error instanceof z.ZodError) {
        return awsErrorReply('InvalidParameterException', z.prettifyError(error));
      }
      throw error;
    }
  };
}

/** Which operation a request is for, or null when its target is of another service. */
export function operationName(request: CloudRequest, service: string): string | null {
  const target = request.headers['x-amz-target'];
  return typeof target === 'string' && target.startsWith(`${service}.`)
    ? target.slice(service.length + 1)
    : null;
}

/** An error as Cognito's services send it: the type in a header and in the body. */
export function awsErrorReply(type: string, message: string, status = 400): CloudReply {
  const reply = awsReply(status, { __type: type, ...(message ? { message } : {}) });
  // Header values end at the first line.
  const headline = (message.split('\n', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, '?');
  return {
    ...reply,
    headers: { ...reply.headers, 'x-amzn-errortype': `${type}:`, 'x-amzn-errormessage': headline },
  };
}

function awsReply(status: number, value: unknown): CloudReply {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() },
    body: JSON.stringify(value ?? {}),
  };
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AwsError('SerializationException', '');
  }
}
