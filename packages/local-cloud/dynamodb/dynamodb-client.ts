import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { AwsError } from '../http/aws-json.ts';

/**
 * Calls one operation of the DynamoDB API and returns the body of the response. Rejects with `AwsError` when DynamoDB
 * rejects the call.
 */
export type DynamoDbCall = (operation: string, input: Record<string, unknown>) => Promise<unknown>;

export type DynamoDbClient = { call: DynamoDbCall; close(): void };

/** dynalite requires the form of a signature, but does not verify it. */
const SIGNATURE = {
  'x-amz-date': '20260101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=local',
};

const errorSchema = z.object({ __type: z.string(), message: z.string().default('') });

/**
 * Returns a client for a DynamoDB API on a local socket, with persistent connections.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
 */
export function createDynamoDbClient(socketPath: string): DynamoDbClient {
  const agent = new Agent({ keepAlive: true });
  return {
    async call(operation, input) {
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        ...SIGNATURE,
      };
      const { status, body } = await post({ agent, socketPath, headers }, JSON.stringify(input));
      if (status === 200) return body;
      const { __type, message } = errorSchema.parse(body);
      throw new AwsError(__type.replace(/^.*#/, ''), message, status);
    },
    close: () => agent.destroy(),
  };
}

type Target = { agent: Agent; socketPath: string; headers: Record<string, string> };

function post(target: Target, text: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...target, method: 'POST' }, (response) => {
      const status = response.statusCode ?? 0;
      json(response).then((body) => resolve({ status, body }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}
