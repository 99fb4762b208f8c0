import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { Agent, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { AwsError } from '../http/aws-json.ts';
import type { Clock } from '../http/exchange.ts';
import { type Table, TABLE_NAME as TableName } from '../infra/infra.ts';
import { randomText } from '../storage/secrets.ts';

/**
 * Calls one operation of the DynamoDB API and returns the body of the response. Rejects with `AwsError` when DynamoDB
 * rejects the call.
 */
export type DynamoDbCall = (operation: string, input: Record<string, unknown>) => Promise<unknown>;

export type DynamoDb = {
  call: DynamoDbCall;
  /** Starts the database, which otherwise starts with the first call. */
  start(): void;
  /** Deletes all messages. */
  reset(): Promise<void>;
  /** Closes the database. Later calls reject. */
  close(): Promise<void>;
};

type OpenDatabase = Pick<DynamoDb, 'call' | 'close'>;

/** How far in the past the time of an item may be for DynamoDB to delete the item. */
const MAX_EXPIRED_SECONDS = 5 * 365 * 24 * 60 * 60;

/**
 * Opens the table in dynalite, which implements DynamoDB's HTTP API on LevelDB. With a folder the data is in its subfolder
 * `dynamodb`, otherwise in memory.
 */
export function openDynamoDb(directory: string | null, table: Table, clock: Clock): DynamoDb {
  let database: Promise<OpenDatabase> | undefined;
  const open = () => {
    database ??= startDatabase(directory, table, clock);
    return database;
  };
  return {
    call: async (operation, input) => (await open()).call(operation, input),
    start: () => void open(),
    async reset() {
      if (!database) return;
      const { call } = await database;
      await call('DeleteTable', { TableName });
      await createTable(call, table);
    },
    async close() {
      await (await database)?.close();
    },
  };
}

/**
 * Sends `PutRequest`s and `DeleteRequest`s, as in `infra/seed.json`, to the table. Rejects when DynamoDB rejects them.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
 */
export async function seedTable(call: DynamoDbCall, requests: unknown): Promise<void> {
  await call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
}

async function startDatabase(directory: string | null, table: Table, clock: Clock): Promise<OpenDatabase> {
  const { default: dynalite } = await import('dynalite');
  const path = directory === null ? null : join(directory, 'dynamodb');
  if (path !== null) mkdirSync(path, { recursive: true, mode: 0o700 });
  const server = dynalite({ ...(path !== null && { path }), createTableMs: 0, deleteTableMs: 0 });
  // Its only client reuses connections: one that is closed after a pause would fail the call that is just being sent.
  server.keepAliveTimeout = 0;
  const socketPath = await listenOnSocket(server);
  const agent = new Agent({ keepAlive: true });
  const call: DynamoDbCall = (operation, input) => send({ agent, socketPath }, operation, input);
  await createTable(call, table);
  await deleteExpiredItems(call, table, clock);
  return {
    call,
    close: () =>
      new Promise((resolve, reject) => {
        agent.destroy();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** Listens on a local socket, which web pages in a browser cannot reach, and returns its path. */
async function listenOnSocket(server: Server): Promise<string> {
  const name = `tenfold-dynamodb-${randomText(12)}`;
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
  server.listen(path);
  await once(server, 'listening');
  return path;
}

/** dynalite requires the form of a signature, but does not verify it. */
const SIGNATURE = {
  'x-amz-date': '20260101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=local',
};
const errorSchema = z.object({ __type: z.string(), message: z.string().default('') });

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html */
function send(target: { agent: Agent; socketPath: string }, operation: string, input: object) {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    ...SIGNATURE,
  };
  return new Promise<unknown>((resolve, reject) => {
    const outgoing = request({ ...target, method: 'POST', headers }, async (response) => {
      try {
        const body = await json(response);
        if (response.statusCode === 200) return resolve(body);
        const { __type, message } = errorSchema.parse(body);
        throw new AwsError(__type.replace(/^.*#/, ''), message, response.statusCode);
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(input));
  });
}

/** Creates the table unless it exists. A table that is just being deleted is created as soon as it is gone. */
async function createTable(call: DynamoDbCall, table: Table): Promise<void> {
  const { TimeToLiveSpecification: _, ...definition } = table;
  for (;;) {
    const status = await tableStatus(call);
    if (status === 'ACTIVE') return;
    if (status === null)
      await call('CreateTable', { TableName, ...definition, BillingMode: 'PAY_PER_REQUEST' });
  }
}

const tableSchema = z.object({ Table: z.object({ TableStatus: z.string() }) });

/** Returns null when the table does not exist. */
async function tableStatus(call: DynamoDbCall): Promise<string | null> {
  try {
    return tableSchema.parse(await call('DescribeTable', { TableName })).Table.TableStatus;
  } catch (error) {
    if (error instanceof AwsError && error.type === 'ResourceNotFoundException') return null;
    throw error;
  }
}

const scanSchema = z.object({ Items: z.array(z.record(z.string(), z.unknown())) });

/**
 * Deletes the items whose time to live is over. DynamoDB does it within days, so until the next start of the local cloud they
 * are read, as at AWS.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
async function deleteExpiredItems(call: DynamoDbCall, table: Table, clock: Clock): Promise<void> {
  const { KeySchema, TimeToLiveSpecification } = table;
  if (!TimeToLiveSpecification?.Enabled) return;
  const now = Math.floor(clock() / 1000);
  const expired = await call('Scan', {
    TableName,
    FilterExpression: '#time BETWEEN :first AND :now',
    ExpressionAttributeNames: { '#time': TimeToLiveSpecification.AttributeName },
    ExpressionAttributeValues: {
      ':first': { N: String(now - MAX_EXPIRED_SECONDS) },
      ':now': { N: String(now) },
    },
  });
  for (const item of scanSchema.parse(expired).Items) {
    const Key = Object.fromEntries(KeySchema.map(({ AttributeName: name }) => [name, item[name]]));
    await call('DeleteItem', { TableName, Key });
  }
}
