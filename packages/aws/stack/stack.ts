/** The CloudFormation stack of the site: access, ownership, state. */
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  ListChangeSetsCommand,
  type Stack,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { CommandError } from '../command/command-error.ts';

/** The tag of stacks that `npm run aws:deploy` created. It never changes a stack without it. */
export const OWNER_TAG = { Key: 'tenfold:created-by', Value: 'aws:deploy' };

/** The description of change sets that `npm run aws:deploy` created. */
export const CHANGE_SET_DESCRIPTION = 'Created by npm run aws:deploy of Tenfold';

export type ConnectedRegion = { client: CloudFormationClient; region: string };

/** The timeouts of the AWS clients of both commands. */
export const REQUEST_TIMEOUTS = { connectionTimeout: 5_000, requestTimeout: 30_000 };

/**
 * A client for the region, else for that of the environment or the profile. Credentials come from the SDK's standard
 * chain. Rejects when no region is set.
 */
export async function connect(region: string | undefined): Promise<ConnectedRegion> {
  const client = new CloudFormationClient({
    requestHandler: REQUEST_TIMEOUTS,
    ...(region === undefined ? {} : { region }),
  });
  return { client, region: await client.config.region() };
}

/** The stack with this name or id, or null. */
export async function findStack(client: CloudFormationClient, name: string): Promise<Stack | null> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0] ?? null;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)) {
      return null;
    }
    throw error;
  }
}

/** Whether `npm run aws:deploy` created the stack. */
export function isOwnStack(stack: Stack): boolean {
  return (stack.Tags ?? []).some(({ Key, Value }) => Key === OWNER_TAG.Key && Value === OWNER_TAG.Value);
}

/** Throws `CommandError` unless `npm run aws:deploy` created the stack. */
export function requireOwnStack(stack: Stack): void {
  if (isOwnStack(stack)) return;
  throw new CommandError(
    `The stack "${stack.StackName}" was not created by npm run aws:deploy, so nothing was changed. Choose another name with --stack-name.`,
  );
}

/**
 * Throws `CommandError` unless a stack without resources (REVIEW_IN_PROGRESS) has only change sets of this command. Such
 * a stack shows its tags only after the first change set was executed.
 */
export async function requireOwnChangeSets(client: CloudFormationClient, stack: Stack): Promise<void> {
  const { Summaries = [] } = await client.send(new ListChangeSetsCommand({ StackName: stack.StackId }));
  if (Summaries.every(({ Description }) => Description === CHANGE_SET_DESCRIPTION)) return;
  throw new CommandError(
    `The stack "${stack.StackName}" has an unfinished change set that this command did not create, so nothing was changed. Choose another name with --stack-name.`,
  );
}

/** What can be done with a stack. */
export type StackState =
  /** There is no stack, or one without resources. */
  | 'new'
  | 'deployed'
  | 'busy'
  /** Its creation failed. CloudFormation accepts nothing but its deletion. */
  | 'failed-creation'
  | 'stuck';

/** The state of a stack from its status. */
export function stateOf(stack: Stack | null): StackState {
  const status = stack?.StackStatus ?? 'REVIEW_IN_PROGRESS';
  if (status === 'REVIEW_IN_PROGRESS') return 'new';
  if (status.endsWith('_IN_PROGRESS')) return 'busy';
  if (/^(?:ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED)$/.test(status)) return 'failed-creation';
  return /^(?:UPDATE_ROLLBACK_FAILED|UPDATE_FAILED|DELETE_FAILED)$/.test(status) ? 'stuck' : 'deployed';
}

/** Starts the deletion of the stack. */
export async function deleteStack(client: CloudFormationClient, stackId: string): Promise<void> {
  await client.send(new DeleteStackCommand({ StackName: stackId }));
}

/**
 * Gives the stack the protection that its parameter `DeletionProtection` gives to the user pool and the table: AWS refuses
 * to delete it. Returns what has changed, or null.
 */
export async function alignTerminationProtection(
  client: CloudFormationClient,
  stack: Stack,
): Promise<'on' | 'off' | null> {
  const parameter = stack.Parameters?.find(({ ParameterKey }) => ParameterKey === 'DeletionProtection');
  const isWanted = parameter?.ParameterValue !== 'false';
  if (stack.EnableTerminationProtection === isWanted) return null;
  await client.send(
    new UpdateTerminationProtectionCommand({
      StackName: stack.StackId,
      EnableTerminationProtection: isWanted,
    }),
  );
  return isWanted ? 'on' : 'off';
}
