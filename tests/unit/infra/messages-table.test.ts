import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { messagesTable } from '../../../local-cloud/dynamodb/messages-table.ts';
import { parseTemplate } from '../../support/aws/template-yaml.ts';

it('the local cloud creates the table of the template', () => {
  const { MessagesTable } = parseTemplate(readFileSync('infra/template.yaml', 'utf8')).Resources;
  const { TableName: _, ...definition } = messagesTable;
  expect(MessagesTable?.Properties).toMatchObject(definition);
});
