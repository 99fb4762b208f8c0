import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CloudRequest, CloudResponse, Handler } from './exchange.ts';

/** An error that an AWS service documents, such as `NotAuthorizedException`. */
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

/**
 * One operation of an AWS service. Takes the parsed JSON body and returns the value of the response body. Throws
 * `AwsError`, or `ZodError` when the input is not valid.
 */
export type AwsOperation = (input: unknown) => unknown;

/**
 * Returns a handler for the AWS JSON 1.1 protocol: `POST` with the header `X-Amz-Target: {service}.{operation}`.
 * https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export function createAwsJsonService(service: string, operations: Record<string, AwsOperation>): Handler {
  return async (request) => {
    try {
      const name = operationName(request, service);
      const operation = name !== null && Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (!operation) throw new AwsError('UnknownOperationException', '');
      return awsResponse(200, await operation(parseBody(request.body)));
    } catch (error) {
      if (error instanceof AwsError) return awsErrorResponse(error.type, error.message, error.status);
      if (error instanceof z.ZodError) {
        return awsErrorResponse('InvalidParameterException', z.prettifyError(error));
      }
      throw error;
    }
  };
}

/** Returns the operation in `X-Amz-Target`, or null when the header is missing or names another service. */
export function operationName(request: CloudRequest, service: string): string | null {
  const target = request.headers['x-amz-target'];
  return typeof target === 'string' && target.startsWith(`${service}.`)
    ? target.slice(service.length + 1)
    : null;
}

/** Returns an error response as Cognito sends it: with the error type in a header and in the body. */
export function awsErrorResponse(type: string, message: string, status = 400): CloudResponse {
  const response = awsResponse(status, { __type: type, ...(message ? { message } : {}) });
  // A header value has one line of ASCII.
  const headerMessage = (message.split('\n', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, '?');
  return {
    ...response,
    headers: { ...response.headers, 'x-amzn-errortype': `${type}:`, 'x-amzn-errormessage': headerMessage },
  };
}

function awsResponse(status: number, value: unknown): CloudResponse {
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
