/** The changes of a change set as text, with what the replacement or deletion of a resource means. */
import type { Change, Parameter, ResourceChange } from '@aws-sdk/client-cloudformation';
import { CommandError } from '../command/command-error.ts';
import { styled } from '../command/terminal.ts';
import type { ParameterEffect } from './parameter-effects.ts';

/** What is lost when a resource of this type is replaced or deleted. */
const losses: Record<string, string> = {
  'AWS::Cognito::UserPool': 'all accounts',
  'AWS::Cognito::UserPoolClient': 'all sessions, and the client id and secret of the site',
  'AWS::Cognito::UserPoolDomain': 'this address of its hosted login',
  'AWS::Cognito::IdentityPool': 'the identities of guests and members',
  'AWS::AppSync::GraphQLApi': 'all data until npm run aws:env, because the API gets another address',
  'AWS::DynamoDB::Table': 'all messages',
};

/** One line for each change, the dangerous ones first and in red. */
export function formatPlan(changes: readonly Change[]): string[] {
  const resources = changes.flatMap(({ ResourceChange }) => ResourceChange ?? []);
  const byDanger = resources.toSorted((a, b) => Number(isDestructive(b)) - Number(isDestructive(a)));
  return byDanger.map(formatChange);
}

/**
 * Throws `CommandError` if the plan replaces a domain of the hosted login. CloudFormation creates the new domain before it
 * deletes the old one, and Cognito refuses a second one of the same kind (aws/aws-cdk#10062).
 */
export function refuseOtherDomain(changes: readonly Change[]): void {
  const isOtherDomain = ({ ResourceChange: change }: Change) =>
    change?.ResourceType === 'AWS::Cognito::UserPoolDomain' && change.Replacement === 'True';
  const name = changes.find(isOtherDomain)?.ResourceChange?.LogicalResourceId;
  if (name === undefined) return;
  throw new CommandError(
    name === 'UserPoolDomain'
      ? 'The prefix of the hosted login cannot be changed: sign-in would stop. Nothing was changed. Keep --domain-prefix, and add a custom domain for another address.'
      : 'The custom domain cannot be changed in one step: sign-in would stop. Nothing was changed. docs/deploy-to-aws.md has the steps to another custom domain.',
  );
}

/** Lines with what the changes of parameters lose or interrupt, the interruptions in red. */
export function formatEffects(effects: readonly ParameterEffect[]): string[] {
  return effects.map(({ text, isInterruption }) => styled(isInterruption ? 'red' : 'yellow', `  ! ${text}`));
}

/** Whether a change replaces or deletes a resource that holds data, credentials or an address that the site uses. */
export function losesData(changes: readonly Change[]): boolean {
  return changes.some(
    ({ ResourceChange: change }) =>
      change?.ResourceType !== undefined &&
      change.ResourceType in losses &&
      (isDestructive(change) || change.Replacement === 'Conditional'),
  );
}

/** One line for each parameter whose value differs from the deployed one. */
export function formatParameters(given: readonly Parameter[], deployed: readonly Parameter[]): string[] {
  const before = new Map(deployed.map(({ ParameterKey, ParameterValue }) => [ParameterKey, ParameterValue]));
  return given
    .filter(
      ({ ParameterKey, ParameterValue }) =>
        ParameterValue !== undefined && before.get(ParameterKey) !== ParameterValue,
    )
    .map(({ ParameterKey, ParameterValue }) => {
      const old = before.get(ParameterKey);
      return `  ${ParameterKey}: ${old === undefined ? '' : `${old} -> `}${ParameterValue}`;
    });
}

function formatChange(change: ResourceChange): string {
  const { LogicalResourceId: name = '', ResourceType: type = '' } = change;
  const resource = `${name} (${type})`;
  if (change.Action === 'Add') return styled('green', `  + create   ${resource}`);
  if (isDestructive(change)) return styled('red', `  ! ${describeLoss(change, resource)}`);
  if (change.Action !== 'Modify')
    return `  ~ ${(change.Action ?? 'change').toLowerCase().padEnd(8)} ${resource}`;
  const properties = changedProperties(change);
  const suffix = properties.length > 0 ? `: ${properties.join(', ')}` : '';
  if (change.Replacement !== 'Conditional') return `  ~ change   ${resource}${suffix}`;
  return styled('yellow', `  ~ change   ${resource}${suffix}; may be REPLACED`);
}

function describeLoss(change: ResourceChange, resource: string): string {
  const isDeletion = change.Action === 'Remove';
  const isKept = /Retain/.test(change.PolicyAction ?? '');
  const loss = losses[change.ResourceType ?? ''];
  const fate = isKept ? 'the present one stays in the account, unused' : 'the present one is deleted';
  const consequence = loss === undefined ? fate : `the site loses ${loss}; ${fate}`;
  return `${isDeletion ? 'DELETE ' : 'REPLACE'}  ${resource}: ${consequence}`;
}

function isDestructive(change: ResourceChange): boolean {
  return change.Action === 'Remove' || change.Replacement === 'True';
}

function changedProperties(change: ResourceChange): string[] {
  const names = (change.Details ?? []).map(({ Target }) => Target?.Name ?? Target?.Attribute ?? '');
  return [...new Set(names)].filter((name) => name !== '');
}
