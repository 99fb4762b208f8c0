/** What the roles of the identity pool may do in the API, by IAM's own simulation. Nothing is called. */
import type { GraphqlApi } from '@aws-sdk/client-appsync';
import { type EvaluationResult, IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import type { Env } from '../../../../app/server/config/env.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import type { FindApi } from './api-account.ts';
import type { ReadRoles } from './identity-pool-account.ts';
import { callAccount, clientConfig, type OperatorOptions } from './operator-calls.ts';
import { type ApiField, rootFieldsOf } from './schema-comparison.ts';

export type PermissionDeps = { readRoles: ReadRoles; findApi: FindApi; schema: string };

/** The check of both roles: members may call every field of `schema`, guests none. */
export function createPermissionChecks(
  { dataApi }: Pick<Env, 'dataApi'>,
  options: OperatorOptions,
  { readRoles, findApi, schema }: PermissionDeps,
): Check[] {
  const client = new IAMClient(clientConfig(dataApi.region, options));
  const fields = rootFieldsOf(schema);
  return [
    {
      name: 'Permissions',
      async run(signal) {
        if (dataApi.authMode === 'userPool')
          return ok('GRAPHQL_AUTH_MODE is userPool: no role needs a permission.');
        const roles = await readRoles(signal);
        if (!roles?.member) return notChecked('The identity pool has no role for signed-in visitors.');
        const simulation = { client, api: await findApi(signal), fields, signal };
        const forMembers = await allowedFields(roles.member, simulation);
        const forGuests = roles.guest ? await allowedFields(roles.guest, simulation) : [];
        return assessPermissions(roles, fields.map(nameOf), { forMembers, forGuests });
      },
    },
  ];
}

function assessPermissions(
  { member, guest }: { member: string | null; guest: string | null },
  fields: readonly string[],
  { forMembers, forGuests }: { forMembers: readonly string[]; forGuests: readonly string[] },
): Finding | Finding[] {
  const denied = fields.filter((field) => !forMembers.includes(field));
  const found = [
    ...(denied.length > 0
      ? [problem('member-permission-missing', { fields: denied.join(', '), role: roleName(member) })]
      : []),
    ...(forGuests.length > 0
      ? [problem('guest-permission', { fields: forGuests.join(', '), role: roleName(guest) })]
      : []),
  ];
  return found.length > 0 ? found : ok('Signed-in visitors may call every field of the API, guests none.');
}

type Simulation = { client: IAMClient; api: GraphqlApi; fields: readonly ApiField[]; signal: AbortSignal };

/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html */
async function allowedFields(role: string, { client, api, fields, signal }: Simulation): Promise<string[]> {
  const command = new SimulatePrincipalPolicyCommand({
    PolicySourceArn: role,
    ActionNames: ['appsync:GraphQL'],
    ResourceArns: fields.map((field) => arnOf(api, field)),
  });
  const response = await callAccount('iam:SimulatePrincipalPolicy', () =>
    client.send(command, { abortSignal: signal }),
  );
  const results = (response?.EvaluationResults ?? []).flatMap(perResource);
  return fields.filter((field) => results.includes(arnOf(api, field))).map(nameOf);
}

/** The resources that a result allows. Results of several resources list them separately. */
function perResource({
  EvalDecision,
  EvalResourceName,
  ResourceSpecificResults,
}: EvaluationResult): string[] {
  const specific = (ResourceSpecificResults ?? []).flatMap((result) =>
    result.EvalResourceDecision === 'allowed' ? (result.EvalResourceName ?? []) : [],
  );
  return EvalDecision === 'allowed' && EvalResourceName ? [EvalResourceName, ...specific] : specific;
}

function arnOf({ arn }: GraphqlApi, { type, field }: ApiField): string {
  return `${arn}/types/${type}/fields/${field}`;
}

function nameOf({ type, field }: ApiField): string {
  return `${type}.${field}`;
}

function roleName(arn: string | null): string {
  return arn?.split('/').pop() ?? '';
}
