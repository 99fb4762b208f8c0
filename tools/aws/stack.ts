/** Stacks of CloudFormation: their state, their change sets and the progress of an operation. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Change,
  type CloudFormationClient,
  CreateChangeSetCommand,
  type CreateChangeSetInput,
  DeleteChangeSetCommand,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  paginateDescribeChangeSet,
  paginateDescribeEvents,
  paginateDescribeStackEvents,
  type Stack,
  type StackEvent,
} from '@aws-sdk/client-cloudformation';
import { CommandError, describeError } from './command.ts';

/** The tag of stacks that `npm run aws:deploy` created. It changes no other stack. */
const OWNER_TAG = { Key: 'tenfold:created-by', Value: 'aws:deploy' };

/** Milliseconds between two requests for the progress. */
const INTERVAL = 2_000;

/** The timeouts of the AWS clients. */
export const requestHandler = { connectionTimeout: 5_000, requestTimeout: 30_000 };

export type ChangeSet = { id: string; stackId: string; changes: readonly Change[] };

/** The stack with this name, or null. Throws `CommandError` when `npm run aws:deploy` did not create it. */
export async function findStack(client: CloudFormationClient, name: string): Promise<Stack | null> {
  const stack = await describeStack(client, name);
  // A stack without resources shows no tags yet.
  if (stack === null || stack.StackStatus === 'REVIEW_IN_PROGRESS') return stack;
  if (stack.Tags?.some(({ Key, Value }) => Key === OWNER_TAG.Key && Value === OWNER_TAG.Value)) return stack;
  throw new CommandError(
    `The stack "${name}" was not created by npm run aws:deploy. Choose another name with --stack-name.`,
  );
}

async function describeStack(client: CloudFormationClient, name: string): Promise<Stack | null> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0] ?? null;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return null;
    throw error;
  }
}

/** Whether there is no stack, or one without resources. */
export function isNew(stack: Stack | null): boolean {
  return stack === null || stack.StackStatus === 'REVIEW_IN_PROGRESS';
}

/** The output of a stack. Throws `CommandError` when it has none of this name. */
export function outputOf(stack: Stack, name: string): string {
  const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  if (value !== undefined) return value;
  throw new CommandError(
    `The stack "${stack.StackName}" (${stack.StackStatus}) has no output ${name}. Run npm run aws:deploy.`,
  );
}

/**
 * Lets CloudFormation compute what a deployment would change. The change set of a new stack creates one without
 * resources. Throws `CommandError` with the reasons when CloudFormation cannot compute it.
 */
export async function createChangeSet(
  client: CloudFormationClient,
  stack: Stack | null,
  input: Pick<CreateChangeSetInput, 'StackName' | 'TemplateBody' | 'TemplateURL' | 'Parameters'>,
): Promise<ChangeSet> {
  const otherTags = stack?.Tags?.filter(({ Key }) => Key !== OWNER_TAG.Key) ?? [];
  const { Id: id = '', StackId: stackId = '' } = await client.send(
    new CreateChangeSetCommand({
      ...input,
      ChangeSetName: `tenfold-${Date.now()}`,
      ChangeSetType: isNew(stack) ? 'CREATE' : 'UPDATE',
      Capabilities: ['CAPABILITY_IAM'],
      Tags: [OWNER_TAG, ...otherTags],
    }),
  );
  const changeSet = { id, stackId, changes: [] };
  try {
    return { ...changeSet, changes: await waitForChanges(client, id) };
  } catch (error) {
    await discard(client, changeSet, stack);
    throw error;
  }
}

async function waitForChanges(client: CloudFormationClient, id: string): Promise<Change[]> {
  for (;;) {
    const { Status, StatusReason = '' } = await client.send(
      new DescribeChangeSetCommand({ ChangeSetName: id }),
    );
    if (Status === 'CREATE_COMPLETE') break;
    if (Status === 'FAILED') {
      if (/didn't contain changes|No updates are to be performed/.test(StatusReason)) return [];
      throw new CommandError(
        [`CloudFormation cannot plan the changes: ${StatusReason}`, ...(await failedChecks(client, id))].join(
          '\n',
        ),
      );
    }
    await sleep(INTERVAL);
  }
  const changes: Change[] = [];
  for await (const page of paginateDescribeChangeSet({ client }, { ChangeSetName: id }))
    changes.push(...(page.Changes ?? []));
  return changes;
}

/** One line for each check that failed before anything was changed. They are deleted with the change set. */
async function failedChecks(client: CloudFormationClient, id: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    const events = paginateDescribeEvents({ client }, { ChangeSetName: id, Filters: { FailedEvents: true } });
    for await (const { OperationEvents = [] } of events) {
      for (const event of OperationEvents) {
        const reason = event.ValidationStatusReason ?? event.HookStatusReason ?? event.ResourceStatusReason;
        if (reason) lines.push(`${event.LogicalResourceId} (${event.ResourceType}): ${reason}`);
      }
    }
  } catch (error) {
    lines.push(`The reasons cannot be read. ${describeError(error)}`);
  }
  return lines;
}

/** Deletes a change set, and the stack without resources that it created. */
export async function discard(
  client: CloudFormationClient,
  { id, stackId }: ChangeSet,
  stack: Stack | null,
): Promise<void> {
  await client.send(new DeleteChangeSetCommand({ ChangeSetName: id }));
  if (stack === null) await client.send(new DeleteStackCommand({ StackName: stackId }));
}

/** Makes the changes. Returns the events of the operation, oldest first; the last one is that of the stack. */
export async function execute(
  client: CloudFormationClient,
  { id, stackId }: ChangeSet,
  onEvent: (event: StackEvent) => void,
) {
  const start = () => client.send(new ExecuteChangeSetCommand({ ChangeSetName: id }));
  return follow(client, stackId, start, onEvent);
}

/** Deletes a stack whose creation failed. Returns the events of the operation like `execute`. */
export async function remove(
  client: CloudFormationClient,
  stackId: string,
  onEvent: (event: StackEvent) => void,
) {
  const start = () => client.send(new DeleteStackCommand({ StackName: stackId }));
  return follow(client, stackId, start, onEvent);
}

async function follow(
  client: CloudFormationClient,
  stackId: string,
  start: () => Promise<unknown>,
  onEvent: (event: StackEvent) => void,
): Promise<readonly StackEvent[]> {
  const [before] = await eventsAfter(client, stackId, undefined);
  await start();
  const events: StackEvent[] = [];
  for (;;) {
    for (const event of (await eventsAfter(client, stackId, events.at(-1) ?? before)).reverse()) {
      events.push(event);
      onEvent(event);
      if (isOfStack(event) && !event.ResourceStatus?.endsWith('_IN_PROGRESS')) return events;
    }
    await sleep(INTERVAL);
  }
}

/** The events that are newer than `last`, the newest first. */
async function eventsAfter(
  client: CloudFormationClient,
  stackId: string,
  last: StackEvent | undefined,
): Promise<StackEvent[]> {
  const events: StackEvent[] = [];
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName: stackId })) {
    for (const event of StackEvents) {
      if (event.EventId === last?.EventId) return events;
      events.push(event);
    }
  }
  return events;
}

/** Whether the event is of the stack itself, not of one of its resources. */
export function isOfStack(event: StackEvent): boolean {
  return event.PhysicalResourceId === event.StackId;
}
