import type { Env } from '../../../../app/server/config/env.ts';
import type { Check } from '../findings/run-checks.ts';
import { createApiAccountChecks, createApiFinder, createAppSyncClient } from './api-account.ts';
import { createDataSourceChecks } from './data-source-account.ts';
import { createIdentityPoolAccountChecks, createRoleReader } from './identity-pool-account.ts';
import type { OperatorOptions } from './operator-calls.ts';
import { createPermissionChecks } from './role-permissions.ts';
import { createUserPoolAccountChecks } from './user-pool-account.ts';

/** All checks that need AWS credentials. `schema` is the text of `schema.graphql`. */
export function createAccountChecks(
  env: Env,
  { schema, ...options }: OperatorOptions & { schema: string },
): Check[] {
  const readRoles = createRoleReader(env, options);
  const client = createAppSyncClient(env, options);
  const findApi = createApiFinder(env, client);
  return [
    ...createUserPoolAccountChecks(env, options),
    ...createIdentityPoolAccountChecks(env, options, readRoles),
    ...createApiAccountChecks(env, { client, findApi, schema }),
    ...createDataSourceChecks({ client, findApi, schema, region: env.dataApi.region }, options),
    ...createPermissionChecks(env, options, { readRoles, findApi, schema }),
  ];
}
