/** What a deployment would change, in words, and what it must not change without a decision. */
import type { Change, Parameter, ResourceChange } from '@aws-sdk/client-cloudformation';
import { CommandError, red } from './command.ts';

/** What the site loses when a resource of this type is replaced or deleted. */
const losses: Readonly<Record<string, string>> = {
  'AWS::Cognito::UserPool': 'all accounts',
  'AWS::Cognito::UserPoolClient': 'all sessions, and its client id and secret',
  'AWS::Cognito::UserPoolDomain': 'this address of its hosted login',
  'AWS::Cognito::IdentityPool': 'the identities of guests and members',
  'AWS::AppSync::GraphQLApi': 'all data until npm run aws:env, because the API gets another address',
  'AWS::DynamoDB::Table': 'all messages',
};

/** One line for each change, deletions and replacements first and in red. */
export function formatChanges(changes: readonly Change[]): string[] {
  const resources = changes.flatMap(({ ResourceChange }) => ResourceChange ?? []);
  const isDangerous = (change: ResourceChange) => Number(fateOf(change) !== null);
  return resources.toSorted((a, b) => isDangerous(b) - isDangerous(a)).map(formatChange);
}

function formatChange(change: ResourceChange): string {
  const { Action, LogicalResourceId, ResourceType = '', PolicyAction = '', Details = [] } = change;
  const properties = new Set(Details.flatMap(({ Target }) => Target?.Name ?? Target?.Attribute ?? []));
  const line = `${LogicalResourceId} (${ResourceType})${properties.size > 0 ? `: ${[...properties].join(', ')}` : ''}`;
  const fate = fateOf(change);
  if (fate === null) return Action === 'Add' ? `  + create   ${line}` : `  ~ change   ${line}`;
  const loss = losses[ResourceType];
  const rest = PolicyAction.includes('Retain')
    ? 'the present one stays in the account, unused'
    : 'the present one is deleted';
  return red(`  ! ${fate}  ${line}; ${loss === undefined ? '' : `the site loses ${loss}; `}${rest}`);
}

function fateOf({ Action, Replacement }: ResourceChange): string | null {
  if (Action === 'Remove') return 'DELETE ';
  return Replacement === 'True' ? 'REPLACE' : Replacement === 'Conditional' ? 'MAY REPLACE' : null;
}

/** Sentences about changed parameters after which something stops that visitors use. */
export function describeInterruptions(given: readonly Parameter[], deployed: readonly Parameter[]): string[] {
  const value = (parameters: readonly Parameter[], name: string) =>
    parameters.find(({ ParameterKey }) => ParameterKey === name)?.ParameterValue;
  const origins = value(given, 'Origins')?.split(',');
  // A site on the developer's own machine has no visitors.
  const removed = (value(deployed, 'Origins')?.split(',') ?? []).filter(
    (origin) => origins?.includes(origin) === false && !origin.startsWith('http://localhost'),
  );
  const lines = removed.map((origin) => `Sign-in stops at ${origin}.`);
  if (value(given, 'Guests') === 'false' && value(deployed, 'Guests') === 'true') {
    lines.push(
      'Guests get no identity, and sites with COGNITO_ALLOW_GUESTS=true answer them with errors until npm run aws:env.',
    );
  }
  return lines;
}

/** Throws `CommandError` when the changes would break sign-in or lose data, and `isAllowed` is false. */
export function refuseLosses(
  changes: readonly Change[],
  interruptions: readonly string[],
  isAllowed: boolean,
): void {
  const lost = changes.flatMap(({ ResourceChange: change = {} }) =>
    change.ResourceType !== undefined && change.ResourceType in losses && fateOf(change) !== null
      ? change
      : [],
  );
  const domain = lost.find(
    ({ ResourceType, Action }) => ResourceType === 'AWS::Cognito::UserPoolDomain' && Action === 'Modify',
  );
  if (domain !== undefined) {
    // CloudFormation creates the new domain first, and Cognito refuses a second one (aws/aws-cdk#10062).
    throw new CommandError(
      `Nothing was changed. ${domain.LogicalResourceId} cannot be replaced: sign-in would stop. docs/deploy-to-aws.md has the steps to another domain.`,
    );
  }
  if ((lost.length === 0 && interruptions.length === 0) || isAllowed) return;
  throw new CommandError(
    'Nothing was changed, because this would lose data or stop something that visitors use. Add --allow-replacement if it is intended.',
  );
}
