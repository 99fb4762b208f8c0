/** Additions to infra/template.yaml as text, which keeps its comments. */
import { parseTemplate } from '../aws/template.ts';
import type { RootField } from './record-type.ts';
import { replaceOnce } from './text-edits.ts';

/** What the resolvers of a type ask DynamoDB for. */
const ACTIONS = ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];

/** The groups of the user pool that have a role, by name. */
export function groupRoles(text: string): Map<string, string> {
  const groups = Object.values(parseTemplate(text).Resources).flatMap(
    ({ Type, Properties: { GroupName, RoleArn } }) => {
      const role = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(JSON.stringify(RoleArn) ?? '')?.[1];
      return Type === 'AWS::Cognito::UserPoolGroup' && role ? [[String(GroupName), role] as const] : [];
    },
  );
  return new Map(groups);
}

/** Adds resources in front of the data source. */
export function addResolvers(text: string, blocks: string): string {
  const place = /^ {2}MessagesDataSource:\n/m;
  return replaceOnce(text, place, (line) => blocks + line, 'MessagesDataSource in infra/template.yaml');
}

/** Allows the fields: those without a group to members and to every group, and the data source what they need. */
export function addPermissions(text: string, fields: readonly RootField[]): string {
  const lineOf = ({ root, field }: RootField) =>
    `                  - !Sub \${GraphQLApi.Arn}/types/${root}/fields/${field}\n`;
  const roles: (readonly [string | null, string])[] = [[null, 'MemberRole'], ...groupRoles(text)];
  const allowed = roles.reduce((template, [group, role]) => {
    const lines = fields.filter((field) => field.group === null || field.group === group).map(lineOf);
    return inResource(template, role, (block) =>
      replaceOnce(
        block,
        /(?:^ *- !Sub \$\{GraphQLApi\.Arn\}\/types\/.*\n)+/m,
        (list) => list + lines.join(''),
        `the fields of ${role} in infra/template.yaml`,
      ),
    );
  }, text);
  return inResource(allowed, 'DataSourceRole', (block) =>
    replaceOnce(
      block,
      /(?:^ *- dynamodb:\w+\n)+/m,
      withActions,
      'the actions of DataSourceRole in infra/template.yaml',
    ),
  );
}

/** Lets DynamoDB delete expired records. */
export function addTimeToLive(text: string): string {
  if (/^ *TimeToLiveSpecification:/m.test(text)) return text;
  const property = '      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }\n';
  return inResource(text, 'MessagesTable', (block) =>
    replaceOnce(
      block,
      /^ {6}BillingMode: .*\n/m,
      (line) => line + property,
      'MessagesTable in infra/template.yaml',
    ),
  );
}

function withActions(list: string): string {
  const indent = /^ */.exec(list)?.[0] ?? '';
  const present = [...list.matchAll(/dynamodb:(\w+)/g)].map(([, action = '']) => action);
  const all = [...new Set([...present, ...ACTIONS])].sort();
  return all.map((action) => `${indent}- dynamodb:${action}\n`).join('');
}

/** Changes the text of one resource. Throws when there is none with this name. */
function inResource(text: string, name: string, change: (block: string) => string): string {
  const block = new RegExp(`^ {2}${name}:\\n(?: {3,}.*\\n|\\n)+`, 'm');
  return replaceOnce(text, block, change, `${name} in infra/template.yaml`);
}
