/** The settings and the schema of the AppSync API, as the account has them. */
import {
  AppSyncClient,
  GetApiAssociationCommand,
  GetIntrospectionSchemaCommand,
  type GraphqlApi,
  ListGraphqlApisCommand,
} from '@aws-sdk/client-appsync';
import type { Env } from '../../../../app/server/config/env.ts';
import { type Finding, FindingError, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { callAccount, clientConfig, type OperatorOptions } from './operator-calls.ts';
import { findSchemaDifference } from './schema-comparison.ts';

type ApiEnv = Pick<Env, 'dataApi' | 'userPool'>;

/** Finds the API of the endpoint. Throws a `FindingError` when the account has none. */
export type FindApi = (signal: AbortSignal) => Promise<GraphqlApi>;

const MODES = { iam: 'AWS_IAM', userPool: 'AMAZON_COGNITO_USER_POOLS' } as const;

/** Creates a function that looks for the API once. */
export function createApiFinder({ dataApi }: ApiEnv, client: AppSyncClient): FindApi {
  const { endpoint } = dataApi;
  const find: FindApi = async (signal) => {
    const apiId = await associatedApi(new URL(endpoint).hostname, client, signal);
    const isWanted = (api: GraphqlApi) => api.uris?.GRAPHQL === endpoint || (apiId && api.apiId === apiId);
    let nextToken: string | undefined;
    do {
      const command = new ListGraphqlApisCommand({ maxResults: 25, ...(nextToken ? { nextToken } : {}) });
      const page = await callAccount('appsync:ListGraphqlApis', () =>
        client.send(command, { abortSignal: signal }),
      );
      const found = page?.graphqlApis?.find(isWanted);
      if (found) return found;
      nextToken = page?.nextToken;
    } while (nextToken);
    throw new FindingError(
      notChecked(`The account of the AWS credentials has no API with the endpoint ${endpoint}.`),
    );
  };
  let api: ReturnType<FindApi> | undefined;
  return (signal) => {
    api ??= find(signal);
    return api;
  };
}

/** The id of the API behind a custom domain; undefined for AppSync's own domains. */
async function associatedApi(
  domainName: string,
  client: AppSyncClient,
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  if (/\.appsync-api\./.test(domainName)) return undefined;
  const command = new GetApiAssociationCommand({ domainName });
  const association = await callAccount('appsync:GetApiAssociation', () =>
    client.send(command, { abortSignal }),
  );
  return association?.apiAssociation?.apiId;
}

/** Creates the client that the checks of the API share. */
export function createAppSyncClient({ dataApi }: ApiEnv, options: OperatorOptions): AppSyncClient {
  return new AppSyncClient(clientConfig(dataApi.region, options));
}

/** The checks of the API's settings and schema. `schema` is the text of `schema.graphql`. */
export function createApiAccountChecks(
  env: ApiEnv,
  { client, findApi, schema }: { client: AppSyncClient; findApi: FindApi; schema: string },
): Check[] {
  return [
    {
      name: 'API',
      async run(signal) {
        const found = assessApi(await findApi(signal), env);
        return found.length > 0 ? found : ok('The settings of the AppSync API fit the site.');
      },
    },
    {
      name: 'Schema',
      async run(signal) {
        const { apiId } = await findApi(signal);
        return compareSchema(schema, await readDeployedSchema(client, apiId, signal));
      },
    },
  ];
}

/**
 * Returns the problems of an API.
 * https://docs.aws.amazon.com/appsync/latest/APIReference/API_GraphqlApi.html
 */
function assessApi(api: GraphqlApi, { dataApi, userPool }: ApiEnv): Finding[] {
  const providers = [api, ...(api.additionalAuthenticationProviders ?? [])];
  const modes = providers.map(({ authenticationType }) => authenticationType);
  const mode = MODES[dataApi.authMode];
  const pools = providers.flatMap(({ userPoolConfig }) => userPoolConfig ?? []);
  const pool = pools.find(({ userPoolId }) => userPoolId === userPool.id);
  const regex = pool?.appIdClientRegex;
  return [
    !modes.includes(mode) && problem('api-auth-mode-missing', { mode, setting: dataApi.authMode }),
    pools.length > 0 && !pool && problem('api-of-other-user-pool', {}),
    regex &&
      !matches(regex, userPool.clientId) &&
      problem('api-rejects-client', { client: userPool.clientId }),
    api.userPoolConfig?.defaultAction === 'DENY' && problem('api-denies-members', {}),
    api.visibility === 'PRIVATE' && problem('api-private', {}),
    modes.includes('API_KEY') && problem('api-key-enabled', {}),
    api.introspectionConfig === 'ENABLED' && problem('api-introspection-enabled', {}),
  ].filter((finding) => typeof finding === 'object');
}

function matches(regex: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${regex})$`).test(text);
  } catch {
    return false;
  }
}

async function readDeployedSchema(
  client: AppSyncClient,
  apiId: string | undefined,
  abortSignal: AbortSignal,
): Promise<string> {
  const command = new GetIntrospectionSchemaCommand({ apiId, format: 'SDL', includeDirectives: true });
  const response = await callAccount('appsync:GetIntrospectionSchema', () =>
    client.send(command, { abortSignal }),
  );
  return Buffer.from(response?.schema ?? []).toString('utf8');
}

function compareSchema(expected: string, deployed: string): Finding {
  if (deployed === '') return problem('schema-differs', { difference: 'the API has no schema' });
  try {
    const difference = findSchemaDifference(expected, deployed);
    return difference === null
      ? ok('The deployed schema is schema.graphql.')
      : problem('schema-differs', { difference });
  } catch {
    return notChecked('The deployed schema cannot be parsed.');
  }
}
