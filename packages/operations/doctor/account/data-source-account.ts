/** What the API calls: its resolvers, the role of its data source, and the table. */
import {
  type AppSyncClient,
  type DataSource,
  type GraphqlApi,
  ListDataSourcesCommand,
  ListResolversCommand,
} from '@aws-sdk/client-appsync';
import { GetRoleCommand, IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { z } from 'zod';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import type { FindApi } from './api-account.ts';
import { callAccount, clientConfig, type OperatorOptions } from './operator-calls.ts';
import { parseTrust } from './role-trust.ts';
import { rootFieldsOf } from './schema-comparison.ts';
import { callService } from './signed-call.ts';

/** The operations of the resolvers, and `GetItem`, which AppSync calls after a failed condition. */
const TABLE_ACTIONS = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'];
const INDEXES = ['byFeed', 'byAuthor'];

const tableSchema = z.object({
  Table: z.object({
    TableStatus: z.string(),
    DeletionProtectionEnabled: z.boolean().optional(),
    GlobalSecondaryIndexes: z.array(z.object({ IndexName: z.string() })).optional(),
  }),
});
const backupsSchema = z.object({
  ContinuousBackupsDescription: z.object({
    PointInTimeRecoveryDescription: z.object({ PointInTimeRecoveryStatus: z.string() }).optional(),
  }),
});

export type DataSourceDeps = { client: AppSyncClient; findApi: FindApi; schema: string; region: string };

/** The checks of what is behind the API. `schema` is the text of `schema.graphql`. */
export function createDataSourceChecks(deps: DataSourceDeps, options: OperatorOptions): Check[] {
  const { client, findApi, schema, region } = deps;
  const iam = new IAMClient(clientConfig(region, options));
  const findDataSource = async (signal: AbortSignal): Promise<DataSource | null> => {
    const { apiId } = await findApi(signal);
    const page = await callAccount('appsync:ListDataSources', () =>
      client.send(new ListDataSourcesCommand({ apiId, maxResults: 25 }), { abortSignal: signal }),
    );
    return page?.dataSources?.find(({ type }) => type === 'AMAZON_DYNAMODB') ?? null;
  };
  const withDataSource = (
    name: string,
    run: (source: DataSource, signal: AbortSignal) => Promise<Finding | Finding[]>,
  ): Check => ({
    name,
    async run(signal) {
      const source = await findDataSource(signal);
      return source ? run(source, signal) : notChecked('The API has no DynamoDB data source.');
    },
  });
  return [
    {
      name: 'Resolvers',
      run: async (signal) => checkResolvers(client, await findApi(signal), schema, signal),
    },
    withDataSource('Data source role', async (source, signal) =>
      checkRole(source, { iam, api: await findApi(signal), signal }),
    ),
    withDataSource('Table', (source, signal) => checkTable(source, region, options, signal)),
  ];
}

async function checkResolvers(
  client: AppSyncClient,
  { apiId }: GraphqlApi,
  schema: string,
  abortSignal: AbortSignal,
): Promise<Finding> {
  const fields = rootFieldsOf(schema);
  const found = new Set<string>();
  for (const typeName of new Set(fields.map(({ type }) => type))) {
    const command = new ListResolversCommand({ apiId, typeName, maxResults: 25 });
    const page = await callAccount('appsync:ListResolvers', () => client.send(command, { abortSignal }));
    for (const { fieldName } of page?.resolvers ?? []) found.add(`${typeName}.${fieldName}`);
  }
  const missing = fields.map(({ type, field }) => `${type}.${field}`).filter((name) => !found.has(name));
  return missing.length > 0
    ? problem('resolver-missing', { fields: missing.join(', ') })
    : ok('Every field of the schema has a resolver.');
}

async function checkRole(
  { serviceRoleArn = '', dynamodbConfig }: DataSource,
  { iam, api, signal }: { iam: IAMClient; api: GraphqlApi; signal: AbortSignal },
): Promise<Finding | Finding[]> {
  const role = serviceRoleArn.split('/').pop() ?? '';
  const described = await callAccount('iam:GetRole', () =>
    iam.send(new GetRoleCommand({ RoleName: role }), { abortSignal: signal }),
  );
  if (!described?.Role) return problem('data-source-role-missing', { role });
  const trust = parseTrust(described.Role.AssumeRolePolicyDocument);
  const isTrusted = trust.some(
    ({ services, conditions }) =>
      services.includes('appsync.amazonaws.com') &&
      (conditions['aws:SourceArn'] === undefined || conditions['aws:SourceArn'].includes(api.arn ?? '')),
  );
  if (!isTrusted) return problem('data-source-role-not-assumable', { role });
  const { awsRegion = '', tableName = '' } = dynamodbConfig ?? {};
  const [, partition, , , account] = serviceRoleArn.split(':');
  const table = `arn:${partition}:dynamodb:${awsRegion}:${account}:table/${tableName}`;
  const denied = [
    ...(await deniedActions(iam, serviceRoleArn, { actions: TABLE_ACTIONS, resource: table }, signal)),
    ...(
      await deniedActions(
        iam,
        serviceRoleArn,
        { actions: ['Query'], resource: `${table}/index/${INDEXES[0]}` },
        signal,
      )
    ).map((action) => `${action} on the indexes`),
  ];
  return denied.length > 0
    ? problem('data-source-permission-missing', { role, actions: denied.join(', '), table: tableName })
    : ok(`The role ${role} may do what the resolvers request.`);
}

async function deniedActions(
  iam: IAMClient,
  PolicySourceArn: string,
  { actions, resource }: { actions: readonly string[]; resource: string },
  abortSignal: AbortSignal,
): Promise<string[]> {
  const ActionNames = actions.map((action) => `dynamodb:${action}`);
  const command = new SimulatePrincipalPolicyCommand({
    PolicySourceArn,
    ActionNames,
    ResourceArns: [resource],
  });
  const response = await callAccount('iam:SimulatePrincipalPolicy', () => iam.send(command, { abortSignal }));
  const allowed = (response?.EvaluationResults ?? []).flatMap(({ EvalDecision, EvalActionName }) =>
    EvalDecision === 'allowed' ? [EvalActionName] : [],
  );
  return ActionNames.filter((action) => !allowed.includes(action));
}

async function checkTable(
  { dynamodbConfig }: DataSource,
  apiRegion: string,
  options: OperatorOptions,
  signal: AbortSignal,
): Promise<Finding | Finding[]> {
  const { tableName: table = '', awsRegion: region = apiRegion } = dynamodbConfig ?? {};
  const call = (operation: string) =>
    callService(
      {
        service: 'dynamodb',
        region,
        target: `DynamoDB_20120810.${operation}`,
        input: { TableName: table },
      },
      `dynamodb:${operation}`,
      options,
      signal,
    );
  const described = await call('DescribeTable');
  if (described === null) return problem('table-missing', { table, region });
  const { Table } = tableSchema.parse(described);
  const backups = backupsSchema.safeParse(await call('DescribeContinuousBackups')).data;
  const recovery = backups?.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  const indexes = Table.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [];
  const missing = INDEXES.filter((name) => !indexes.includes(name));
  const found = [
    !/^(?:ACTIVE|UPDATING)$/.test(Table.TableStatus) &&
      problem('table-not-active', { table, status: Table.TableStatus }),
    missing.length > 0 && problem('table-index-missing', { table, indexes: missing.join(', ') }),
    recovery?.PointInTimeRecoveryStatus !== 'ENABLED' && problem('table-recovery-off', { table }),
    Table.DeletionProtectionEnabled !== true && problem('table-deletion-protection-off', { table }),
  ].filter((finding) => finding !== false);
  return found.length > 0 ? found : ok(`The table ${table} is active and protected.`);
}
