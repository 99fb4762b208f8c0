/** The input of `CreateTable`. A test compares it with the table in `infra/template.yaml`. */
export const messagesTable = {
  TableName: 'messages',
  AttributeDefinitions: [
    { AttributeName: 'feed', AttributeType: 'S' },
    { AttributeName: 'id', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'feed', KeyType: 'HASH' },
    { AttributeName: 'id', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};
