/**
 * The IAM roles of the identity pool, and the groups of the user pool that have roles.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/role-based-access-control.html
 */
import { z } from 'zod';
import type { Template } from './infra-source.ts';

export const ACCOUNT_ID = '123456789012';

export type Role = {
  arn: string;
  /** Returns whether a policy of the role allows calls of a field, such as `Query` and `listMessages`. */
  allows(typeName: string, fieldName: string): boolean;
};

type Group = {
  name: string;
  /** The lowest one has precedence. Groups without one come last. */
  precedence: number;
  /** The ARN of its role, or null. */
  roleArn: string | null;
};

export type Roles = {
  /** Every role of the template by its ARN. */
  byArn: ReadonlyMap<string, Role>;
  /** The ARNs of the roles that identities have by default. There are no guests without a role. */
  member: string;
  guest: string | null;
  groups: ReadonlyMap<string, Group>;
  /**
   * What the identity pool does when a token determines no single role: it uses the role of members, or denies. Null when it
   * ignores the roles in tokens.
   */
  ambiguous: 'AuthenticatedRole' | 'Deny' | null;
};

const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => [value].flat(), z.array(item));
const statement = z.object({
  Effect: z.literal('Allow'),
  Action: oneOrMore(z.string()),
  Resource: z.json(),
  Condition: z.never().optional(),
});
const roleSchema = z.object({
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: oneOrMore(statement) }) })).default([]),
  ManagedPolicyArns: z.never().optional(),
});
const groupSchema = z.object({
  GroupName: z.string(),
  Precedence: z.number().default(Number.POSITIVE_INFINITY),
  RoleArn: z.unknown().optional(),
});
const attachmentSchema = z.object({
  Roles: z.object({ authenticated: z.unknown(), unauthenticated: z.unknown().optional() }),
  RoleMappings: z
    .record(
      z.string(),
      z.object({ Type: z.literal('Token'), AmbiguousRoleResolution: z.enum(['AuthenticatedRole', 'Deny']) }),
    )
    .default({}),
});

/** Reads the roles of a template. Throws `ZodError` for what the local cloud does not support. */
export function readRoles(template: Template): Roles {
  const propertiesOf = (type: string) =>
    Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
  const [attachment] = propertiesOf('AWS::Cognito::IdentityPoolRoleAttachment');
  const { Roles, RoleMappings } = attachmentSchema.parse(attachment?.[1].Properties);
  const groups = propertiesOf('AWS::Cognito::UserPoolGroup').map(([, { Properties }]): Group => {
    const { GroupName, Precedence, RoleArn } = groupSchema.parse(Properties);
    return { name: GroupName, precedence: Precedence, roleArn: arnIn(RoleArn) };
  });
  const member = arnIn(Roles.authenticated);
  const guest = arnIn(Roles.unauthenticated);
  const used = [member, guest, ...groups.map(({ roleArn }) => roleArn)];
  const roles = propertiesOf('AWS::IAM::Role')
    .filter(([id]) => used.includes(arnOf(id)))
    .map(([id, { Properties }]): Role => ({ arn: arnOf(id), allows: allowedFields(id, Properties) }));
  return {
    byArn: new Map(roles.map((role) => [role.arn, role])),
    member: z.string('the role "authenticated" is missing').parse(member),
    guest,
    groups: new Map(groups.map((group) => [group.name, group])),
    ambiguous: Object.values(RoleMappings)[0]?.AmbiguousRoleResolution ?? null,
  };
}

type RoleClaims = { 'cognito:roles'?: string[] | undefined; 'cognito:preferred_role'?: string | undefined };

/**
 * Returns the claims for a member of these groups. The groups with the lowest precedence determine the preferred role, unless
 * their roles differ.
 */
export function roleClaims(names: readonly string[], { groups }: Roles): RoleClaims {
  const own = names.flatMap((name) => groups.get(name) ?? []).filter(({ roleArn }) => roleArn !== null);
  const lowest = Math.min(...own.map(({ precedence }) => precedence));
  const arnsOf = (list: readonly Group[]) => [...new Set(list.flatMap(({ roleArn }) => roleArn ?? []))];
  const [preferred, ...others] = arnsOf(own.filter(({ precedence }) => precedence === lowest));
  return {
    ...(own.length > 0 && { 'cognito:roles': arnsOf(own) }),
    ...(preferred !== undefined && others.length === 0 && { 'cognito:preferred_role': preferred }),
  };
}

/**
 * Returns the ARN of the role for a token with these claims, or null when the identity pool denies it. `customRoleArn` is the
 * role that the caller asks for.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/role-based-access-control.html#using-tokens-to-assign-roles-to-users
 */
export function roleForToken(
  claims: RoleClaims,
  customRoleArn: string | undefined,
  { member, ambiguous }: Roles,
): string | null {
  if (ambiguous === null) return member;
  if (customRoleArn !== undefined) {
    return claims['cognito:roles']?.includes(customRoleArn) ? customRoleArn : null;
  }
  return claims['cognito:preferred_role'] ?? (ambiguous === 'Deny' ? null : member);
}

function arnOf(id: string): string {
  return `arn:aws:iam::${ACCOUNT_ID}:role/tenfold-${id}`;
}

/** Returns the ARN of the role that a value of the template refers to, also in a condition, or null. */
function arnIn(value: unknown): string | null {
  const id = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(JSON.stringify(value) ?? '')?.[1];
  return id === undefined ? null : arnOf(id);
}

/** What follows the ARN of the API in a resource, or `*`. */
const PERMITTED_PATH = /(?<=\$\{\w+\.Arn\})\/[\w/*]+|(?<=")\*(?=")/g;

function allowedFields(id: string, properties: unknown): Role['allows'] {
  // With the id, an error names the role.
  const parsed = z.record(z.string(), roleSchema).parse({ [id]: properties });
  const patterns = Object.values(parsed)
    .flatMap(({ Policies }) => Policies)
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => Action.some((action) => /^appsync:(?:GraphQL|\*)$/.test(action)))
    .flatMap(({ Resource }) => JSON.stringify(Resource).match(PERMITTED_PATH) ?? [])
    .map((path) => new RegExp(`^${path.replaceAll('*', '.*')}$`));
  return (typeName, fieldName) =>
    patterns.some((pattern) => pattern.test(`/types/${typeName}/fields/${fieldName}`));
}
