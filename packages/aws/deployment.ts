/** The steps of a deployment. */
import type { CloudFormationClient, Parameter, Stack, StackEvent } from '@aws-sdk/client-cloudformation';
import { type CommandContext, describeError } from './command/command.ts';
import { CommandError } from './command/command-error.ts';
import { DEFAULT_STACK_NAME } from './command/command-line.ts';
import { confirm, say, styled } from './command/terminal.ts';
import {
  type ChangeSet,
  createChangeSet,
  deleteChangeSet,
  executeChangeSet,
  waitForChanges,
} from './stack/change-set.ts';
import { explainFailure } from './stack/failed-operation.ts';
import { describeEffects } from './stack/parameter-effects.ts';
import { formatEffects, formatParameters, formatPlan, losesData, refuseOtherDomain } from './stack/plan.ts';
import {
  alignTerminationProtection,
  connect,
  deleteStack,
  findStack,
  isOwnStack,
  requireOwnChangeSets,
  requireOwnStack,
  stateOf,
} from './stack/stack.ts';
import { eventBeforeOperation, followOperation, isOfStack, newestEvent } from './stack/stack-events.ts';
import { mergeTags } from './stack/tags.ts';

export type DeploymentTarget = { stackName: string; interval: number };

export type DeploymentOptions = DeploymentTarget & {
  template: string;
  /** Parameters of the command line. The others keep their deployed values. */
  given: readonly Parameter[];
  /** Tags of the command line by key. The others keep their deployed values. */
  givenTags: ReadonlyMap<string, string>;
  /** ARN of the role with which CloudFormation changes the resources, or null. */
  serviceRole: string | null;
  mode: 'ask' | 'yes' | 'plan';
  /** Whether `yes` includes the replacement of resources that hold data. */
  allowsReplacement: boolean;
};

/** What every step needs. */
type Deployment = DeploymentOptions & { client: CloudFormationClient; context: CommandContext };

/** Shows the plan, asks, and deploys. Throws `CommandError` when that is refused or fails. */
export async function deploy(
  options: DeploymentOptions,
  regionOption: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { client, region } = await connect(regionOption);
  context.region = region;
  const deployment = { ...options, client, context };
  const stack = await readyStack(deployment);
  const isNewStack = stateOf(stack) === 'new';
  const deployed = isNewStack ? [] : (stack?.Parameters ?? []);
  const parameters = mergeParameters(options.given, deployed);
  const tags = mergeTags(options.givenTags, isNewStack ? [] : (stack?.Tags ?? []));
  const creation = createChangeSet(client, { ...options, isNewStack, parameters, tags });
  const discard = async () => {
    const changeSet = await creation;
    await deleteChangeSet(client, changeSet);
    if (stack === null) await deleteStack(client, changeSet.stackId);
  };
  context.onInterrupt = async () => {
    await discard();
    return 'Interrupted. Nothing was changed.';
  };
  const changeSet = await creation;
  const isAccepted = await reviewChanges(deployment, changeSet, stack).catch(async (error: unknown) => {
    // The first error explains more than one of the clean-up.
    await discard().catch(() => {});
    throw error;
  });
  await (isAccepted ? execute(deployment, changeSet) : discard());
}

/** Shows the progress of the operation that runs on the stack, or the result of the last one. */
export async function follow(
  { stackName, interval }: DeploymentTarget,
  regionOption: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { client, region } = await connect(regionOption);
  context.region = region;
  const stack = await findStack(client, stackName);
  const stackId = stack?.StackId;
  if (!stack || stackId === undefined) {
    throw new CommandError(`There is no stack "${stackName}" in ${region}. Check --stack-name and --region.`);
  }
  requireOwnStack(stack);
  context.onInterrupt = async () => goesOn(stackName, region);
  const after = await eventBeforeOperation(client, stackId);
  const events = await followOperation(client, stackId, { after, interval, onEvent: showEvent });
  await showResult(client, stackId, events);
}

/**
 * The stack in a state that accepts a change set, or null if there is none. Deletes what a failed creation left, after
 * asking. Throws `CommandError` for a stack that this command did not create, and for states that need a decision of the user.
 */
async function readyStack(deployment: Deployment): Promise<Stack | null> {
  const { client, stackName, context } = deployment;
  const stack = await findStack(client, stackName);
  if (stack === null) return null;
  const state = stateOf(stack);
  if (state === 'new' && !isOwnStack(stack)) await requireOwnChangeSets(client, stack);
  else requireOwnStack(stack);
  if (state === 'busy') {
    throw new CommandError(
      `An operation is in progress on the stack "${stackName}" (${stack.StackStatus}). Show it with: ${command(stackName, context.region, '--follow')}`,
    );
  }
  if (state === 'stuck') {
    throw new CommandError(
      `The stack "${stackName}" is in the state ${stack.StackStatus} and accepts no changes. In the CloudFormation console, choose the stack and "Continue update rollback" or "Delete", then run this command again.`,
    );
  }
  if (state !== 'failed-creation') return stack;
  await replaceFailedStack(deployment, stack);
  return null;
}

/** Deletes a stack whose creation failed, after asking. */
async function replaceFailedStack(
  { client, stackName, mode, interval }: Deployment,
  stack: Stack,
): Promise<void> {
  const stackId = stack.StackId ?? stackName;
  say(
    `The creation of the stack "${stackName}" failed earlier (${stack.StackStatus}). It can only be deleted and created again.`,
  );
  if (mode === 'plan' || (mode === 'ask' && !(await confirm('Delete it now?')))) {
    throw new CommandError(
      'Nothing was changed. Run the command with --yes to delete the failed stack and create it again.',
    );
  }
  const after = await newestEvent(client, stackId);
  await deleteStack(client, stackId);
  const events = await followOperation(client, stackId, { after, interval, onEvent: showEvent });
  if (events.at(-1)?.ResourceStatus !== 'DELETE_COMPLETE')
    throw new CommandError(explainFailure(events).join('\n'));
}

/** Values of the command line, and for the other deployed parameters their present values. */
function mergeParameters(given: readonly Parameter[], deployed: readonly Parameter[]): Parameter[] {
  const names = new Set(given.map(({ ParameterKey }) => ParameterKey));
  const kept = deployed.filter(({ ParameterKey }) => !names.has(ParameterKey));
  return [...given, ...kept.map(({ ParameterKey }) => ({ ParameterKey, UsePreviousValue: true }))];
}

/** Shows the changes and returns whether to make them. Throws `CommandError` when they need a further option. */
async function reviewChanges(
  { client, stackName, given, mode, allowsReplacement, interval, context }: Deployment,
  changeSet: ChangeSet,
  stack: Stack | null,
): Promise<boolean> {
  const changes = await waitForChanges(client, changeSet, interval);
  if (changes.length === 0) {
    say(`The stack "${stackName}" is up to date. Nothing was changed.`);
    return false;
  }
  // arn:aws:cloudformation:{region}:{account}:stack/{name}/{id}
  const account = changeSet.stackId.split(':')[4] ?? 'unknown';
  const verb = stateOf(stack) === 'new' ? 'Create' : 'Update';
  say(styled('bold', `${verb} the stack "${stackName}" in ${context.region}, AWS account ${account}:`));
  const deployed = stack?.Parameters ?? [];
  const effects = describeEffects(given, deployed);
  const lines = [...formatParameters(given, deployed), ...formatEffects(effects), ...formatPlan(changes)];
  for (const line of lines) say(line);
  refuseOtherDomain(changes);
  if (mode === 'yes' && losesData(changes) && !allowsReplacement) {
    throw new CommandError(
      'The plan replaces or deletes what holds data or an address, and --yes does not include that. Nothing was changed. Add --allow-replacement if it is intended.',
    );
  }
  if (mode === 'yes' && effects.some(({ isInterruption }) => isInterruption) && !allowsReplacement) {
    throw new CommandError(
      'The plan stops something that visitors use, and --yes does not include that. Nothing was changed. Add --allow-replacement if it is intended.',
    );
  }
  if (mode === 'yes' || (mode === 'ask' && (await confirm('Deploy?')))) return true;
  say('Nothing was changed.');
  return false;
}

async function execute(
  { client, stackName, interval, context }: Deployment,
  changeSet: ChangeSet,
): Promise<void> {
  const after = await newestEvent(client, changeSet.stackId);
  if (context.isInterrupted) return;
  context.onInterrupt = async () => goesOn(stackName, context.region);
  await executeChangeSet(client, changeSet);
  let events: readonly StackEvent[];
  try {
    events = await followOperation(client, changeSet.stackId, { after, interval, onEvent: showEvent });
  } catch (error) {
    throw new CommandError(`${describeError(error, context.region)}\n${goesOn(stackName, context.region)}`);
  }
  await showResult(client, changeSet.stackId, events);
}

/** Says how the operation ended. Throws `CommandError` with the explanation if it failed. */
async function showResult(
  client: CloudFormationClient,
  stackId: string,
  events: readonly StackEvent[],
): Promise<void> {
  const status = events.at(-1)?.ResourceStatus ?? '';
  if (!/^(?:CREATE|UPDATE|IMPORT|DELETE)_COMPLETE$/.test(status)) {
    throw new CommandError(
      [...explainFailure(events), `The stack is now in the state ${status}. ${describeState(status)}`].join(
        '\n',
      ),
    );
  }
  if (status === 'DELETE_COMPLETE') return say('The stack is deleted.');
  const stack = await findStack(client, stackId);
  if (stack === null) return;
  const protection = await alignTerminationProtection(client, stack);
  if (protection !== null) say(`The termination protection of the stack is ${protection} now.`);
  say(styled('green', `The stack "${stack.StackName}" is ready.`));
  const target = stack.Outputs?.find(({ OutputKey }) => OutputKey === 'HostedLoginAliasTarget')?.OutputValue;
  if (target !== undefined)
    say(
      `Create a DNS alias record (or CNAME) from the custom domain to ${target}, and go on when the domain responds.`,
    );
  say(`Next, write the environment of the site: npm run aws:env${ofStack(stack.StackName)}`);
}

/** What the state of a failed operation means. */
function describeState(status: string): string {
  if (status === 'UPDATE_ROLLBACK_COMPLETE') return 'The previous state is restored.';
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    return 'The previous state is not restored: some resources have the new settings, others the old ones. Correct the cause, then choose "Continue update rollback" for the stack in the CloudFormation console.';
  }
  return 'The site cannot use this stack.';
}

function showEvent(event: StackEvent): void {
  const { Timestamp, ResourceStatus = '', LogicalResourceId = '', ResourceType = '' } = event;
  const time = Timestamp?.toLocaleTimeString('en-GB') ?? '';
  const name = isOfStack(event) ? 'the stack' : `${LogicalResourceId} (${ResourceType})`;
  const isFailure = ResourceStatus.endsWith('_FAILED');
  say(`  ${time}  ${isFailure ? styled('red', ResourceStatus) : ResourceStatus}  ${name}`);
}

function goesOn(stackName: string, region: string): string {
  return `The deployment goes on in AWS. Show its progress with: ${command(stackName, region, '--follow')}`;
}

function command(stackName: string, region: string, option: string): string {
  const name = stackName === DEFAULT_STACK_NAME ? '' : ` --stack-name ${stackName}`;
  return `npm run aws:deploy -- ${option}${name} --region ${region}`;
}

/** The option of `npm run aws:env` for the stack. */
function ofStack(stackName: string | undefined): string {
  return stackName === DEFAULT_STACK_NAME ? '' : ` -- --stack-name ${stackName}`;
}
