import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { AwsError } from '../http/aws-json.ts';
import { randomText } from '../storage/secrets.ts';
import { createDynamoDbClient, type DynamoDbCall } from './dynamodb-client.ts';
import { lockFolder } from './folder-lock.ts';
import { messagesTable } from './messages-table.ts';

export type DynamoDb = {
  call: DynamoDbCall;
  /** Deletes all messages. */
  reset(): Promise<void>;
  /** Closes the database. Later calls reject. */
  close(): Promise<void>;
};

type OpenDatabase = { call: DynamoDbCall; close(): Promise<void> };

const { TableName } = messagesTable;
const MAX_STATUS_CHECKS = 100;

/**
 * Opens the table of messages in dynalite, which implements DynamoDB's HTTP API on LevelDB. With a folder the data is
 * in its subfolder `dynamodb`; the call rejects with `FolderInUseError` when another process uses the folder. With null
 * the data is in memory, and dynalite starts with the first call, because most tests store no messages.
 */
export async function openDynamoDb(directory: string | null): Promise<DynamoDb> {
  let database: Promise<OpenDatabase> | undefined;
  const open = () => {
    database ??= startDatabase(directory);
    return database;
  };
  if (directory !== null) await open();
  return {
    call: async (operation, input) => (await open()).call(operation, input),
    async reset() {
      if (!database) return;
      const { call } = await database;
      await call('DeleteTable', { TableName });
      await waitForStatus(call, null);
      await createTable(call);
    },
    async close() {
      await (await database)?.close();
    },
  };
}

async function startDatabase(directory: string | null): Promise<OpenDatabase> {
  // The import takes longer than the rest of the local cloud's start.
  const { default: dynalite } = await import('dynalite');
  const folder = directory === null ? null : prepareFolder(directory);
  const server = dynalite({ ...(folder && { path: folder.path }), createTableMs: 0, deleteTableMs: 0 });
  // Its only client reuses connections: one that is closed after a pause would fail the call that is just being sent.
  server.keepAliveTimeout = 0;
  const client = createDynamoDbClient(await listenOnSocket(server));
  await createTable(client.call);
  return {
    call: client.call,
    async close() {
      client.close();
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
      });
      folder?.unlock();
    },
  };
}

function prepareFolder(directory: string): { path: string; unlock: () => void } {
  const path = join(directory, 'dynamodb');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return { path, unlock: lockFolder(directory, join(directory, 'lock')) };
}

/** Listens on a local socket, which web pages in a browser cannot reach, and returns its path. */
async function listenOnSocket(server: Server): Promise<string> {
  const name = `tenfold-dynamodb-${randomText(12)}`;
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
  server.listen(path);
  await once(server, 'listening');
  return path;
}

/** Creates the table unless it exists. A table of an earlier version has no indexes; its messages are copied to a new one. */
async function createTable(call: DynamoDbCall): Promise<void> {
  const items = (await hasIndexes(call)) ? [] : await takeItems(call);
  try {
    await call('CreateTable', messagesTable);
  } catch (error) {
    if (!isAwsError(error, 'ResourceInUseException')) throw error;
  }
  await waitForStatus(call, 'ACTIVE');
  for (const Item of items) await call('PutItem', { TableName, Item });
}

/** Whether the table has indexes. True if it does not exist. */
async function hasIndexes(call: DynamoDbCall): Promise<boolean> {
  if ((await tableStatus(call)) === null) return true;
  const { Table } = indexedTableSchema.parse(await call('DescribeTable', { TableName }));
  return Table.GlobalSecondaryIndexes !== undefined;
}

/** Deletes the table and returns its items. */
async function takeItems(call: DynamoDbCall): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let start: unknown;
  do {
    const page = scanSchema.parse(
      await call('Scan', { TableName, ...(start === undefined ? {} : { ExclusiveStartKey: start }) }),
    );
    items.push(...page.Items);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  await call('DeleteTable', { TableName });
  await waitForStatus(call, null);
  return items;
}

/** Waits until the table has this status; null means that the table does not exist. */
async function waitForStatus(call: DynamoDbCall, expected: string | null): Promise<void> {
  for (let check = 0; check < MAX_STATUS_CHECKS; check += 1) {
    if ((await tableStatus(call)) === expected) return;
  }
  throw new Error(
    'The table of messages cannot be opened. Delete the data folder to start with empty state.',
  );
}

const indexedTableSchema = z.object({
  Table: z.object({ GlobalSecondaryIndexes: z.array(z.unknown()).optional() }),
});
const scanSchema = z.object({ Items: z.array(z.unknown()), LastEvaluatedKey: z.unknown().optional() });

const tableSchema = z.object({ Table: z.object({ TableStatus: z.string() }) });

async function tableStatus(call: DynamoDbCall): Promise<string | null> {
  try {
    return tableSchema.parse(await call('DescribeTable', { TableName })).Table.TableStatus;
  } catch (error) {
    if (isAwsError(error, 'ResourceNotFoundException')) return null;
    throw error;
  }
}

function isAwsError(error: unknown, type: string): boolean {
  return error instanceof AwsError && error.type === type;
}
