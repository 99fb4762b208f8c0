/** The input of `CreateTable`. A test compares it with the table in `infra/template.yaml`. */
export const messagesTable = {
  TableName: 'messages' as const,
  AttributeDefinitions: [
    { AttributeName: 'feed', AttributeType: 'S' },
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'author', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'feed', KeyType: 'HASH' },
    { AttributeName: 'id', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byFeed',
      KeySchema: [
        { AttributeName: 'feed', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
    {
      IndexName: 'byAuthor',
      KeySchema: [
        { AttributeName: 'author', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};
