/** A job beside the site: counts the records of a feed with the role of the host, which needs `dynamodb:Query` on the table. */
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { signRequest } from '@tenfold/appsync-proxy';

const { TABLE: TableName, FEED: feed, AWS_REGION: region } = process.env;
if (!TableName || !feed || !region) throw new Error('Set TABLE, FEED and AWS_REGION.');
const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? `https://dynamodb.${region}.amazonaws.com/`;
const credentialsOf = defaultProvider();

type Counted = { Count: number; LastEvaluatedKey?: object };

/** Counts a part of the feed, as much as DynamoDB reads at once. */
async function count(region: string, ExclusiveStartKey?: object): Promise<Counted> {
  const body = JSON.stringify({
    TableName,
    KeyConditionExpression: 'feed = :feed',
    ExpressionAttributeValues: { ':feed': { S: feed } },
    Select: 'COUNT',
    ExclusiveStartKey,
  });
  const { accessKeyId, secretAccessKey, sessionToken } = await credentialsOf();
  const headers = await signRequest({
    method: 'POST',
    url: new URL(endpoint),
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.Query' },
    body,
    region,
    service: 'dynamodb',
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
    signingDate: new Date(),
  });
  const response = await fetch(endpoint, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`DynamoDB: ${response.status} ${await response.text()}`);
  return await response.json();
}

let total = 0;
let last: object | undefined;
do {
  const counted = await count(region, last);
  total += counted.Count;
  last = counted.LastEvaluatedKey;
} while (last !== undefined);
console.log(`${feed}: ${total}`);
