import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDynamoDb } from '../../dynamodb/dynamodb.ts';
import { messagesTable } from '../../dynamodb/messages-table.ts';
import { seedTable } from '../../dynamodb/seed.ts';

const Item = { feed: { S: 'f' }, id: { S: '1' } };
const getItem = { TableName: 'messages', Key: Item };

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dynamodb-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('a data folder', () => {
  test('keeps the items after a restart', async () => {
    const first = await openDynamoDb(directory);
    await first.call('PutItem', { TableName: 'messages', Item });
    await first.close();
    const second = await openDynamoDb(directory);
    expect(await second.call('GetItem', getItem)).toEqual({ Item });
    await second.reset();
    expect(await second.call('GetItem', getItem)).toEqual({});
    await second.close();
    expect((await stat(join(directory, 'dynamodb'))).mode & 0o777).toBe(0o700);
  });

  test('of an earlier version keeps its items, which its indexes then list', async () => {
    const earlier = await openDynamoDb(directory);
    const { GlobalSecondaryIndexes: _, AttributeDefinitions, ...table } = messagesTable;
    const status = async () => {
      const described = await earlier.call('DescribeTable', { TableName: 'messages' }).catch(() => null);
      return (described as { Table: { TableStatus: string } } | null)?.Table.TableStatus;
    };
    await earlier.call('DeleteTable', { TableName: 'messages' });
    await vi.waitUntil(async () => (await status()) === undefined);
    await earlier.call('CreateTable', { ...table, AttributeDefinitions: AttributeDefinitions.slice(0, 2) });
    await vi.waitUntil(async () => (await status()) === 'ACTIVE');
    await earlier.call('PutItem', { TableName: 'messages', Item: { ...Item, author: { S: 'ann' } } });
    await earlier.close();
    const dynamoDb = await openDynamoDb(directory);
    const found = await dynamoDb.call('Query', {
      TableName: 'messages',
      IndexName: 'byAuthor',
      KeyConditionExpression: 'author = :author',
      ExpressionAttributeValues: { ':author': { S: 'ann' } },
    });
    expect(found).toMatchObject({ Items: [{ id: { S: '1' } }] });
    await dynamoDb.close();
  });

  test('that another process uses is refused with a sentence that says what to do', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
    await writeFile(join(directory, 'lock'), String(other.pid));
    await expect(openDynamoDb(directory)).rejects.toThrow(
      `Process ${other.pid} uses the folder ${directory}. Stop it, or set CLOUD_DATA to another folder.`,
    );
    other.kill();
    await once(other, 'exit');
    const dynamoDb = await openDynamoDb(directory);
    await dynamoDb.close();
    expect(existsSync(join(directory, 'lock'))).toBe(false);
  });
});

test('seed data is put into the table, again at the next start, and nothing without the file', async () => {
  const file = join(directory, 'seed.json');
  const { call, close } = await openDynamoDb(null);
  await seedTable(call, pathToFileURL(file));
  await writeFile(file, JSON.stringify([{ PutRequest: { Item } }]));
  for (const _start of [1, 2]) await seedTable(call, pathToFileURL(file));
  expect(await call('Scan', { TableName: 'messages' })).toMatchObject({ Items: [Item] });
  await close();
});
