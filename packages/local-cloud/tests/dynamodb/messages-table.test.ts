import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseTemplate } from '../../../aws/tests/support/template-yaml.ts';
import { messagesTable } from '../../dynamodb/messages-table.ts';

it('the local cloud creates the table of the template', () => {
  const { MessagesTable } = parseTemplate(readFileSync('infra/template.yaml', 'utf8')).Resources;
  const { TableName: _, ...definition } = messagesTable;
  expect(MessagesTable?.Properties).toMatchObject(definition);
});
