/** What can be wrong with a deployment before AWS is asked. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ConstDirectiveNode, Kind, parse } from 'graphql';
import { generateFiles } from '../build/graphql-types.ts';
import { RESOLVER_FILE } from '../build/resolver-bundle.ts';
import { buildSiteSchema, SCHEMA } from '../build/site-schema.ts';
import { INFRA, type Json, readSource, type Template } from './template.ts';

/**
 * One sentence for each problem: fields without resolver or permission, operations that the data source may not execute, files
 * that nothing deploys, outdated types. The mistakes in a schema come alone: a misspelled directive would make the others wrong.
 */
export async function findProblems(template: Template): Promise<string[]> {
  const { errors } = buildSiteSchema();
  if (errors.length > 0) {
    return errors.map(
      ({ message, locations: [place] = [] }) => `${SCHEMA}:${place?.line}:${place?.column}: ${message}`,
    );
  }
  const rootFields = readRootFields(readSource('../schema.graphql'));
  const fields = rootFields.map(({ name }) => name).filter((name) => !name.startsWith('Subscription.'));
  const resources = Object.values(template.Resources);
  const resolved = resources.flatMap(({ Type, Properties: { TypeName, FieldName } }) =>
    Type === 'AWS::AppSync::Resolver' ? `${TypeName}.${FieldName}` : [],
  );
  const deployed = resources.map(({ Properties }) => Properties.CodeS3Location);
  const files = readdirSync(`${INFRA}/resolvers`).filter((file) => RESOLVER_FILE.test(file));
  return [
    ...missing(fields, resolved).map((field) => `${field} has no resolver in infra/template.yaml.`),
    ...missing(resolved, fields).map((field) => `The resolver of ${field} has no field in schema.graphql.`),
    ...rolesOf(template).flatMap((role) => findRoleProblems(role, rootFields, template)),
    ...findRefusedOperations(template),
    ...missing(
      files.map((file) => `resolvers/${file}`),
      deployed,
    ).map((file) => `infra/${file} is not in infra/template.yaml.`),
    ...(await outdatedFiles()).map((file) => `${file} is out of date. Run npm run build.`),
  ];
}

/** A field of `Query`, `Mutation` or `Subscription`, such as `Query.listMessages`. `groups` are the only ones that may call it, if it names any. */
type RootField = { name: string; groups: readonly string[] | null };

/** Who has a role: members who are in no group, or those of a group. */
type AssignedRole = { who: string; group: string | null; role: string };

function rolesOf({ Resources }: Template): AssignedRole[] {
  const groups = Object.values(Resources).flatMap(({ Type, Properties: { GroupName, RoleArn } }) => {
    const role = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(JSON.stringify(RoleArn) ?? '')?.[1];
    if (Type !== 'AWS::Cognito::UserPoolGroup' || role === undefined) return [];
    return { who: `The group ${GroupName}`, group: String(GroupName), role };
  });
  return [{ who: 'Members', group: null, role: 'MemberRole' }, ...groups];
}

/** The role of a group replaces that of members, so it must allow their fields too. */
function findRoleProblems(
  { who, group, role }: AssignedRole,
  fields: readonly RootField[],
  { Resources }: Template,
): string[] {
  const allowed = allowedFields(Resources[role]?.Properties.Policies ?? null);
  const names = fields.map(({ name }) => name);
  const wanted = fields
    .filter(({ groups }) => groups === null || (group !== null && groups.includes(group)))
    .map(({ name }) => name);
  const refused = missing(names, wanted);
  return [
    ...missing(wanted, allowed).map(
      (field) =>
        `${who} may not call ${field}: ${role} in infra/template.yaml lacks types/${field.replace('.', '/fields/')}.`,
    ),
    ...missing(allowed, names).map((field) => `${role} allows ${field}, which is not in schema.graphql.`),
    ...allowed
      .filter((field) => refused.includes(field))
      .map((field) => `${role} allows ${field}, which schema.graphql allows for other groups only.`),
  ];
}

/** What the resolvers ask the data source for, and no role allows it. */
function findRefusedOperations({ Resources }: Template): string[] {
  const allowed = JSON.stringify(Resources);
  const folder = `${INFRA}/resolvers`;
  return readdirSync(folder).flatMap((file) => {
    if (!file.endsWith('.js')) return [];
    const operations = readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\boperation: ['"](\w+)['"]/g);
    return [...operations]
      .flatMap(([, operation = '']) => actionsOf(operation))
      .filter((action) => !allowed.includes(`"dynamodb:${action}"`))
      .map(
        (action) =>
          `infra/resolvers/${file} needs dynamodb:${action}, which DataSourceRole in infra/template.yaml lacks.`,
      );
  });
}

/** The actions of DynamoDB that an operation of a resolver needs. */
function actionsOf(operation: string): string[] {
  if (operation === 'BatchDeleteItem' || operation === 'BatchPutItem') return ['BatchWriteItem'];
  // A transaction needs the actions of its items, which the resolver names in another way.
  if (operation.startsWith('Transact')) return [];
  // AppSync reads the item after a failed condition.
  return /^(?:Put|Update|Delete)Item$/.test(operation) ? [operation, 'GetItem'] : [operation];
}

function readRootFields(schema: string): RootField[] {
  return parse(schema).definitions.flatMap((definition) => {
    if (
      definition.kind !== Kind.OBJECT_TYPE_DEFINITION ||
      !/^(?:Query|Mutation|Subscription)$/.test(definition.name.value)
    )
      return [];
    return (definition.fields ?? []).map(({ name, directives }) => ({
      name: `${definition.name.value}.${name.value}`,
      groups: groupsIn(directives),
    }));
  });
}

/** The groups that `@aws_cognito_user_pools(cognito_groups: [...])` names, or null. */
function groupsIn(directives: readonly ConstDirectiveNode[] = []): string[] | null {
  const given = directives
    .flatMap((directive) => directive.arguments ?? [])
    .find(({ name }) => name.value === 'cognito_groups')?.value;
  if (given?.kind !== Kind.LIST) return null;
  return given.values.flatMap((value) => (value.kind === Kind.STRING ? value.value : []));
}

/** The root fields that the policies of a role allow. */
function allowedFields(policies: Json): string[] {
  const arns = JSON.stringify(policies).matchAll(
    /\$\{GraphQLApi\.Arn\}\/types\/(Query|Mutation|Subscription)\/fields\/(\w+)/g,
  );
  return [...arns].map(([, type, field]) => `${type}.${field}`);
}

function missing(wanted: readonly string[], present: readonly unknown[]): string[] {
  return wanted.filter((name) => !present.includes(name));
}

async function outdatedFiles(): Promise<string[]> {
  const files = await generateFiles();
  return files
    .filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
    .map(({ path }) => fileURLToPath(path));
}
