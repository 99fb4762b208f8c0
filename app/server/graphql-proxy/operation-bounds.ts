/**
 * Bounds on the size of a GraphQL operation. A fragment counts at every place where it is spread: otherwise a short
 * document with nested fragments could select millions of fields.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The maxima for one operation. The site's own operations use less than a third of each. */
export const bounds = {
  /** UTF-16 code units of the document, checked before anything else reads it. A string is one token, however long. */
  characters: 16_384,
  /** Lexical tokens in the whole document. The parser enforces this bound. */
  tokens: 1000,
  /** Levels of nested selections, those of inline fragments included. */
  depth: 10,
  /** Fields, with fragments expanded. */
  fields: 500,
  aliases: 20,
  directives: 20,
} as const;

export type OperationCost = {
  depth: number;
  fields: number;
  aliases: number;
  directives: number;
  /** Whether it selects `__schema` or `__type` (GraphQL section 4). */
  introspects: boolean;
};

/** A fragment is missing, or includes itself: the operation has no finite cost. */
export class FragmentError extends Error {
  override readonly name = 'FragmentError';
}

const zeroCost: OperationCost = { depth: 0, fields: 0, aliases: 0, directives: 0, introspects: false };

/**
 * The total cost of a document's operations with their fragments expanded. Takes time linear in the length of the
 * document. Throws `FragmentError`.
 */
export function measureCost(document: DocumentNode): OperationCost {
  const measureSelections = createSelectionMeter(document);
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ selectionSet, directives, variableDefinitions }) => {
      const onVariables = (variableDefinitions ?? []).reduce((sum, node) => sum + count(node.directives), 0);
      const cost = measureSelections(selectionSet);
      return { ...cost, directives: cost.directives + count(directives) + onVariables };
    })
    .reduce(add, zeroCost);
}

/** The name of the first bound that `cost` exceeds, or null. */
export function exceededBound(cost: OperationCost): 'depth' | 'fields' | 'aliases' | 'directives' | null {
  const names = ['depth', 'fields', 'aliases', 'directives'] as const;
  return names.find((name) => cost[name] > bounds[name]) ?? null;
}

/** A function that measures selection sets of `document`. It measures each fragment once. */
function createSelectionMeter(document: DocumentNode): (set: SelectionSetNode | undefined) => OperationCost {
  const fragments = fragmentsOf(document);
  const measured = new Map<string, OperationCost>();
  const started = new Set<string>();

  function measureFragment(name: string): OperationCost {
    const fragment = fragments.get(name);
    const known = measured.get(name);
    if (known) return known;
    if (!fragment) throw new FragmentError('A fragment is missing.');
    if (started.has(name)) throw new FragmentError('A fragment includes itself.');
    started.add(name);
    const cost = measureSelections(fragment.selectionSet);
    const total = { ...cost, directives: cost.directives + count(fragment.directives) };
    measured.set(name, total);
    return total;
  }

  function measureSelections(set: SelectionSetNode | undefined): OperationCost {
    return (set?.selections ?? []).map(measureSelection).reduce(add, zeroCost);
  }

  function measureSelection(selection: SelectionSetNode['selections'][number]): OperationCost {
    if (selection.kind === Kind.FIELD)
      return costOfField(selection, measureSelections(selection.selectionSet));
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const spread = measureFragment(selection.name.value);
      return { ...spread, directives: spread.directives + count(selection.directives) };
    }
    const inner = measureSelections(selection.selectionSet);
    return { ...inner, depth: inner.depth + 1, directives: inner.directives + count(selection.directives) };
  }

  return measureSelections;
}

/** The fragments of a document by name. */
function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** The cost of a field whose selections cost `below`. */
function costOfField(field: FieldNode, below: OperationCost): OperationCost {
  return {
    depth: below.depth + 1,
    fields: below.fields + 1,
    aliases: below.aliases + (field.alias ? 1 : 0),
    directives: below.directives + count(field.directives),
    introspects: below.introspects || /^__(schema|type)$/.test(field.name.value),
  };
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
