/** The permissions of an operator in docs/deploy-to-aws.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemaOf } from './support/resource-schemas.ts';
import { parseTemplate } from './support/template-yaml.ts';

const guide = readFileSync('docs/deploy-to-aws.md', 'utf8');
const section = /^## Permissions$([\s\S]*?)^## /m.exec(guide)?.[1] ?? '';
/** `service:Action` in backticks, or `Action` in a row that names the service once. */
const granted = new Set(
  section.split('\n').flatMap((row) => {
    let service = '';
    return [...row.matchAll(/`(?:([a-z0-9-]+):)?([A-Za-z*]*)`/g)].flatMap(([, named, action]) => {
      service = named ?? service;
      return service && action ? [`${service}:${action}`] : [];
    });
  }),
);

const { Resources } = parseTemplate(readFileSync('infra/template.yaml', 'utf8'));
const sources = readdirSync('packages/aws', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('tests'))
  .map((file) => readFileSync(join('packages/aws', file), 'utf8'));
const resources = Object.values(Resources);
const schemas = [...new Set(resources.map(({ Type }) => Type))].map(schemaOf);
const needed = new Set(
  schemas.flatMap(({ services, actions = [] }) => [...services.map((name) => `${name}:*`), ...actions]),
);
// Only a role with managed policies needs it.
needed.delete('iam:AttachRolePolicy');

describe('the permissions of an operator', () => {
  it('are those that the handlers of the resources call', () => {
    expect([...needed].filter((action) => !granted.has(action))).toEqual([]);
  });

  it('on roles are no others', () => {
    const onRoles = [...granted].filter((action) => action.startsWith('iam:'));
    expect(onRoles.filter((action) => !needed.has(action))).toEqual([]);
    expect(resources.filter(({ Properties }) => 'ManagedPolicyArns' in Properties)).toEqual([]);
  });

  it.each(['cloudformation', 'cognito-identity-provider'])(
    'contain every operation of %s that the commands call',
    (client) => {
      const prefix = client === 'cloudformation' ? client : 'cognito-idp';
      const imports = new RegExp(`import \\{([^}]*)\\} from '@aws-sdk/client-${client}'`, 'g');
      const operations = sources.flatMap((text) =>
        [...text.matchAll(imports)].flatMap(([, names = '']) =>
          [...names.matchAll(/\b(\w+)Command\b/g)].map(([, operation]) => `${prefix}:${operation}`),
        ),
      );
      expect(operations.length).toBeGreaterThan(0);
      expect(operations.filter((operation) => !granted.has(operation))).toEqual([]);
    },
  );
});
