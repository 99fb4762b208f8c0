import type { DocumentNode } from 'graphql';
import {
  ExecutableDefinitionsRule,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  ProvidedRequiredArgumentsRule,
  type SelectionSetNode,
  specifiedRules,
  TypeInfo,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  type ValidationContext,
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

/** AppSync's error types. They are those of graphql-java, the library that AppSync validates documents with. */
const ERROR_TYPES = new Map<ValidationRule, string>([
  [ExecutableDefinitionsRule, 'NonExecutableDefinition'],
  [FieldsOnCorrectTypeRule, 'FieldUndefined'],
  [KnownArgumentNamesRule, 'UnknownArgument'],
  [KnownDirectivesRule, 'UnknownDirective'],
  [KnownFragmentNamesRule, 'UndefinedFragment'],
  [KnownTypeNamesRule, 'UnknownType'],
  [LoneAnonymousOperationRule, 'LoneAnonymousOperationViolation'],
  [NoFragmentCyclesRule, 'FragmentCycle'],
  [NoSchemaIntrospectionCustomRule, 'FieldUndefined'],
  [NoUndefinedVariablesRule, 'UndefinedVariable'],
  [NoUnusedFragmentsRule, 'UnusedFragment'],
  [NoUnusedVariablesRule, 'UnusedVariable'],
  [OverlappingFieldsCanBeMergedRule, 'FieldsConflict'],
  [ProvidedRequiredArgumentsRule, 'MissingFieldArgument'],
  [UniqueOperationNamesRule, 'DuplicateOperationName'],
  [UniqueVariableNamesRule, 'DuplicateVariableName'],
  [ValuesOfCorrectTypeRule, 'WrongType'],
  [VariablesInAllowedPositionRule, 'VariableTypeMismatch'],
]);

const rules = [depthRule, ...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * Returns the validation errors of a document in AppSync's form, or an empty array. Introspection is an error
 * because the API has it disabled, and so is a nesting of more than five fields.
 * https://docs.aws.amazon.com/appsync/latest/APIReference/API_CreateGraphqlApi.html
 */
export function documentErrors(schema: GraphQLSchema, document: DocumentNode): Record<string, unknown>[] {
  if (validate(schema, document, rules).length === 0) return [];
  // An error does not contain its rule. Each rule therefore runs again on its own.
  return rules.flatMap((rule) =>
    validate(schema, document, [rule]).map((error) =>
      describeDocumentError(
        error,
        `Validation error of type ${ERROR_TYPES.get(rule) ?? 'InvalidSyntax'}: ${error.message}`,
      ),
    ),
  );
}

/** Returns whether a valid document selects one of these fields, each given as `Type.field`. */
export function selectsField(
  schema: GraphQLSchema,
  document: DocumentNode,
  fields: readonly string[],
): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const onField = ({ name }: FieldNode) => {
    found ||= fields.includes(`${types.getParentType()?.name}.${name.value}`);
  };
  if (fields.length > 0) visit(document, visitWithTypeInfo(types, { Field: onField }));
  return found;
}

function depthRule(context: ValidationContext): ReturnType<ValidationRule> {
  const fragmentDepths = new Map<string, number>();

  function fragmentDepth(fragment: FragmentDefinitionNode): number {
    const name = fragment.name.value;
    const known = fragmentDepths.get(name);
    if (known !== undefined) return known;
    // This value ends the recursion of a fragment that contains itself. Another rule rejects such a fragment.
    fragmentDepths.set(name, 0);
    const depth = depthOf(fragment.selectionSet);
    fragmentDepths.set(name, depth);
    return depth;
  }

  function depthOf({ selections }: SelectionSetNode): number {
    const depths = selections.map((selection) => {
      if (selection.kind === 'Field')
        return 1 + (selection.selectionSet ? depthOf(selection.selectionSet) : 0);
      if (selection.kind === 'InlineFragment') return depthOf(selection.selectionSet);
      const fragment = context.getFragment(selection.name.value);
      return fragment ? fragmentDepth(fragment) : 0;
    });
    return Math.max(0, ...depths);
  }

  return {
    OperationDefinition(node) {
      if (depthOf(node.selectionSet) > MAX_DEPTH) {
        context.reportError(new GraphQLError(`Query depth limit of ${MAX_DEPTH} exceeded.`, { nodes: node }));
      }
    },
  };
}
