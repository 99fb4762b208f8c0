import { existsSync, readFileSync } from 'node:fs';
import type { DynamoDbCall } from './dynamodb-client.ts';
import { messagesTable } from './messages-table.ts';

const FILE = new URL('../../../infra/seed.json', import.meta.url);

/**
 * Sends the requests in `infra/seed.json`, if there is such a file. Rejects when DynamoDB rejects them.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
 */
export async function seedTable(call: DynamoDbCall, file: URL = FILE): Promise<void> {
  if (!existsSync(file)) return;
  const requests: unknown = JSON.parse(readFileSync(file, 'utf8'));
  await call('BatchWriteItem', { RequestItems: { [messagesTable.TableName]: requests } });
}
