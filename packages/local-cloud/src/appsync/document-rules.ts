import {
  type DocumentNode,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  type GraphQLSchema,
  Kind,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  NoSchemaIntrospectionCustomRule,
  ProvidedRequiredArgumentsRule,
  type SelectionSetNode,
  specifiedRules,
  TypeInfo,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describeDocumentError } from './appsync-errors.ts';

/** The `QueryDepthLimit` of `infra/template.yaml`. */
const MAX_DEPTH = 5;

/** The usual error types of graphql-java, the library that AppSync validates documents with. */
const ERROR_TYPES = new Map<ValidationRule, string>([
  [FieldsOnCorrectTypeRule, 'FieldUndefined'],
  [KnownArgumentNamesRule, 'UnknownArgument'],
  [KnownTypeNamesRule, 'UnknownType'],
  [NoSchemaIntrospectionCustomRule, 'FieldUndefined'],
  [ProvidedRequiredArgumentsRule, 'MissingFieldArgument'],
  [ValuesOfCorrectTypeRule, 'WrongType'],
  [VariablesInAllowedPositionRule, 'VariableTypeMismatch'],
]);
const rules = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * Returns the validation errors of a document in AppSync's form, or an empty array. Introspection is an error because the
 * API has it disabled, and so is a nesting of more than five fields.
 * https://docs.aws.amazon.com/appsync/latest/APIReference/API_CreateGraphqlApi.html
 */
export function documentErrors(schema: GraphQLSchema, document: DocumentNode): Record<string, unknown>[] {
  // An error does not contain its rule. Each rule therefore runs on its own.
  const errors = rules.flatMap((rule) =>
    validate(schema, document, [rule]).map((error) => {
      const type = ERROR_TYPES.get(rule) ?? 'InvalidSyntax';
      return describeDocumentError(error, `Validation error of type ${type}: ${error.message}`);
    }),
  );
  if (errors.length > 0 || depthOf(document) <= MAX_DEPTH) return errors;
  return [{ path: null, locations: null, message: `Query depth limit of ${MAX_DEPTH} exceeded.` }];
}

/**
 * Returns the fields of `Query`, `Mutation` and `Subscription` that a valid document selects, each with its type. These are what policies of
 * roles permit. AWS does not document whether the fields of returned types need permission too.
 */
export function selectedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
): [type: string, field: string][] {
  const types = new TypeInfo(schema);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const found: [string, string][] = [];
  const onField = ({ name }: FieldNode) => {
    const type = types.getParentType();
    if (type && roots.some((root) => root === type) && !name.value.startsWith('__')) {
      found.push([type.name, name.value]);
    }
  };
  visit(document, visitWithTypeInfo(types, { Field: onField }));
  return found;
}

/** Returns how deeply fields are nested in a valid document, whose fragments have no cycles. */
function depthOf({ definitions }: DocumentNode): number {
  const depths = new Map<string, number>();
  const depthOfFragment = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const fragment = definitions.find(
      (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
    );
    const depth = fragment && 'selectionSet' in fragment ? depthIn(fragment.selectionSet) : 0;
    depths.set(name, depth);
    return depth;
  };
  const depthIn = ({ selections }: SelectionSetNode): number =>
    Math.max(
      ...selections.map((node) => {
        if (node.kind === Kind.FRAGMENT_SPREAD) return depthOfFragment(node.name.value);
        const depth = node.selectionSet ? depthIn(node.selectionSet) : 0;
        return node.kind === Kind.FIELD ? depth + 1 : depth;
      }),
    );
  return Math.max(...definitions.map((node) => ('selectionSet' in node ? depthIn(node.selectionSet) : 0)));
}
