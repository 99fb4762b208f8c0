/** Computes the changes of a change set as CloudFormation does. */
import type { Change, ResourceChange } from '@aws-sdk/client-cloudformation';
import { schemaOf } from './resource-schemas.ts';
import type { Json, Template } from './template-yaml.ts';

export type Resources = ReadonlyMap<string, { type: string; properties: Json }>;

/** The changes from one set of resources to another. `policies` are the templates with the deletion policies. */
export function planChanges(
  before: Resources,
  after: Resources,
  policies: { before: Template | null; after: Template },
): Change[] {
  const changes: ResourceChange[] = [];
  for (const [id, { type }] of before) {
    if (after.has(id)) continue;
    const policy = policies.before?.Resources[id]?.DeletionPolicy ?? 'Delete';
    changes.push({
      Action: 'Remove',
      LogicalResourceId: id,
      ResourceType: type,
      PolicyAction: policy as 'Delete',
    });
  }
  for (const [id, { type, properties }] of after) {
    const old = before.get(id);
    if (old === undefined) changes.push({ Action: 'Add', LogicalResourceId: id, ResourceType: type });
    else
      changes.push(
        ...describeModification(id, type, changedNames(old.properties, properties), policies.after),
      );
  }
  return changes.map((ResourceChange) => ({ Type: 'Resource', ResourceChange }));
}

function describeModification(
  id: string,
  type: string,
  names: string[],
  template: Template,
): ResourceChange[] {
  if (names.length === 0) return [];
  const { createOnly, conditionalCreateOnly = [] } = schemaOf(type);
  const isReplaced = names.some((name) => createOnly.includes(name));
  const mayBeReplaced = names.some((name) => conditionalCreateOnly.includes(name));
  const isKept = template.Resources[id]?.UpdateReplacePolicy === 'Retain';
  return [
    {
      Action: 'Modify',
      LogicalResourceId: id,
      ResourceType: type,
      Replacement: isReplaced ? 'True' : mayBeReplaced ? 'Conditional' : 'False',
      ...(isReplaced ? { PolicyAction: isKept ? 'ReplaceAndRetain' : 'ReplaceAndDelete' } : {}),
      Scope: ['Properties'],
      Details: names.map((Name) => ({ Target: { Attribute: 'Properties', Name }, Evaluation: 'Static' })),
    },
  ];
}

function changedNames(before: Json, after: Json): string[] {
  const [old, current] = [asObject(before), asObject(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(current)]);
  return [...names].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]));
}

function asObject(value: Json): Readonly<Record<string, Json>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, Json>)
    : {};
}
