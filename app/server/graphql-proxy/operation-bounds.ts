/**
 * How much an operation asks for, counted before anything is sent. Fragments count wherever they are spread, so a
 * small document cannot stand for a large one. Pure.
 */
import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** What one operation may hold. The site's own stay within a third of each. */
export const bounds = {
  /** Lexical tokens of the whole document; the parser stops there. */
  tokens: 1000,
  /** Selections inside one another. */
  depth: 10,
  /** Fields, fragments written out. */
  fields: 500,
  aliases: 20,
  directives: 20,
} as const;

export type OperationCost = {
  depth: number;
  fields: number;
  aliases: number;
  directives: number;
  /** Whether it asks for the schema itself, by `__schema` or `__type` (GraphQL section 4). */
  introspects: boolean;
};

/** A document whose fragments include themselves, or are missing: what it asks for cannot be counted. */
export class FragmentError extends Error {
  override readonly name = 'FragmentError';
}

const nothing: OperationCost = { depth: 0, fields: 0, aliases: 0, directives: 0, introspects: false };

/**
 * The cost of a document's operations and of the fragments they spread, in time linear to the document. Throws
 * `FragmentError`.
 */
export function costOf(document: DocumentNode): OperationCost {
  const measure = createMeasure(document);
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ selectionSet, directives, variableDefinitions }) => {
      const onVariables = (variableDefinitions ?? []).reduce((sum, node) => sum + count(node.directives), 0);
      const cost = measure(selectionSet);
      return { ...cost, directives: cost.directives + count(directives) + onVariables };
    })
    .reduce(add, nothing);
}

/** The first bound that a cost exceeds, or null. */
export function exceededBound(cost: OperationCost): 'depth' | 'fields' | 'aliases' | 'directives' | null {
  const names = ['depth', 'fields', 'aliases', 'directives'] as const;
  return names.find((name) => cost[name] > bounds[name]) ?? null;
}

function createMeasure(document: DocumentNode): (set: SelectionSetNode | undefined) => OperationCost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, OperationCost>();
  const open = new Set<string>();

  function measureFragment(name: string): OperationCost {
    const fragment = fragments.get(name);
    const measured = known.get(name);
    if (measured) return measured;
    if (!fragment) throw new FragmentError('A fragment is missing.');
    if (open.has(name)) throw new FragmentError('A fragment includes itself.');
    open.add(name);
    const cost = measure(fragment.selectionSet);
    open.delete(name);
    const total = { ...cost, directives: cost.directives + count(fragment.directives) };
    known.set(name, total);
    return total;
  }

  function measure(set: SelectionSetNode | undefined): OperationCost {
    return (set?.selections ?? []).map(measureSelection).reduce(add, nothing);
  }

  function measureSelection(selection: SelectionSetNode['selections'][number]): OperationCost {
    const directives = count(selection.directives);
    if (selection.kind === Kind.FIELD) {
      const below = measure(selection.selectionSet);
      return {
        depth: below.depth + 1,
        fields: below.fields + 1,
        aliases: below.aliases + (selection.alias ? 1 : 0),
        directives: below.directives + directives,
        introspects: below.introspects || /^__(schema|type)$/.test(selection.name.value),
      };
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? measure(selection.selectionSet)
        : measureFragment(selection.name.value);
    return { ...inner, directives: inner.directives + directives };
  }

  return measure;
}

function add(one: OperationCost, other: OperationCost): OperationCost {
  return {
    depth: Math.max(one.depth, other.depth),
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    introspects: one.introspects || other.introspects,
  };
}

function count(nodes: readonly unknown[] | undefined): number {
  return nodes?.length ?? 0;
}
