/** Which GraphQL documents the data API takes, and AppSync's names for what is wrong with the others. */

import type { DocumentNode } from 'graphql';
import {
  ExecutableDefinitionsRule,
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
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql';
import { describeDocumentError } from './appsync-errors.ts';

const MAX_DEPTH = 10;

/** AppSync validates with graphql-java and answers its names. */
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
 * What is wrong with a document, in AppSync's shape; nothing for a good one. Introspection counts as wrong (the API
 * has it switched off), and so does a nesting of more than ten fields.
 */
export function documentErrors(schema: GraphQLSchema, document: DocumentNode): Record<string, unknown>[] {
  if (validate(schema, document, rules).length === 0) return [];
  // An error does not tell its rule, so each rule is asked alone once it is known that there are errors.
  return rules.flatMap((rule) =>
    validate(schema, document, [rule]).map((error) =>
      describeDocumentError(
        error,
        `Validation error of type ${ERROR_TYPES.get(rule) ?? 'InvalidSyntax'}: ${error.message}`,
      ),
    ),
  );
}

function depthRule(context: ValidationContext): ReturnType<ValidationRule> {
  const fragmentDepths = new Map<string, number>();

  function fragmentDepth(fragment: FragmentDefinitionNode): number {
    const name = fragment.name.value;
    const known = fragmentDepths.get(name);
    if (known !== undefined) return known;
    // Stands while the fragment is measured, so that one that spreads itself comes to an end; another rule refuses it.
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
