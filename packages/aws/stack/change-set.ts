/** Change sets: CloudFormation computes what a deployment would change before anything changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Change,
  type CloudFormationClient,
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  type DescribeChangeSetOutput,
  DescribeEventsCommand,
  ExecuteChangeSetCommand,
  type Parameter,
  type Tag,
} from '@aws-sdk/client-cloudformation';
import { describeError } from '../command/command.ts';
import { CommandError } from '../command/command-error.ts';
import { CHANGE_SET_DESCRIPTION } from './stack.ts';

export type ChangeSet = { id: string; stackId: string };

export type ChangeSetOptions = {
  stackName: string;
  isNewStack: boolean;
  template: string;
  parameters: readonly Parameter[];
  tags: readonly Tag[];
  /** ARN of the role with which CloudFormation changes the resources; null for that of the stack, else the caller's. */
  serviceRole: string | null;
};

const NO_CHANGES = /didn't contain changes|No updates are to be performed/;

/** Creates a change set. Without a stack, CloudFormation also creates one without resources. */
export async function createChangeSet(
  client: CloudFormationClient,
  { stackName, isNewStack, template, parameters, tags, serviceRole }: ChangeSetOptions,
): Promise<ChangeSet> {
  const { Id = '', StackId = '' } = await client.send(
    new CreateChangeSetCommand({
      StackName: stackName,
      ChangeSetName: `tenfold-${Date.now()}`,
      ChangeSetType: isNewStack ? 'CREATE' : 'UPDATE',
      Description: CHANGE_SET_DESCRIPTION,
      TemplateBody: template,
      Parameters: [...parameters],
      Capabilities: ['CAPABILITY_IAM'],
      Tags: [...tags],
      ...(serviceRole === null ? {} : { RoleARN: serviceRole }),
    }),
  );
  return { id: Id, stackId: StackId };
}

/**
 * Waits until CloudFormation has computed the changes and returns them, an empty list if there are none. `interval` is in
 * milliseconds. Throws `CommandError` when CloudFormation cannot compute them.
 */
export async function waitForChanges(
  client: CloudFormationClient,
  { id }: ChangeSet,
  interval: number,
): Promise<readonly Change[]> {
  for (;;) {
    const page = await client.send(new DescribeChangeSetCommand({ ChangeSetName: id }));
    if (page.Status === 'CREATE_COMPLETE') return readChanges(client, id, page);
    if (page.Status === 'FAILED') {
      const reason = page.StatusReason ?? 'AWS gives no reason.';
      if (NO_CHANGES.test(reason)) return [];
      throw new CommandError(
        [`CloudFormation cannot plan the changes: ${reason}`, ...(await readFailures(client, id))].join('\n'),
      );
    }
    await sleep(interval);
  }
}

/**
 * One line for each check that failed before anything was changed. CloudFormation deletes these events together with the
 * change set. Without the permission to read them, the line says so.
 */
async function readFailures(client: CloudFormationClient, id: string): Promise<readonly string[]> {
  try {
    const { OperationEvents = [] } = await client.send(
      new DescribeEventsCommand({ ChangeSetName: id, Filters: { FailedEvents: true } }),
    );
    return OperationEvents.flatMap((event) => {
      const reason = event.ValidationStatusReason ?? event.HookStatusReason ?? event.ResourceStatusReason;
      return reason === undefined ? [] : [`${event.LogicalResourceId} (${event.ResourceType}): ${reason}`];
    });
  } catch (error) {
    return [`The details cannot be read: ${describeError(error, await client.config.region())}`];
  }
}

/** The changes of all pages. */
async function readChanges(
  client: CloudFormationClient,
  id: string,
  first: DescribeChangeSetOutput,
): Promise<readonly Change[]> {
  const changes = [...(first.Changes ?? [])];
  for (let token = first.NextToken; token; ) {
    const page = await client.send(new DescribeChangeSetCommand({ ChangeSetName: id, NextToken: token }));
    changes.push(...(page.Changes ?? []));
    token = page.NextToken;
  }
  return changes;
}

/** Starts the changes. They continue in AWS when this process ends. */
export async function executeChangeSet(client: CloudFormationClient, { id }: ChangeSet): Promise<void> {
  await client.send(new ExecuteChangeSetCommand({ ChangeSetName: id }));
}

/** Deletes a change set that is not executed. */
export async function deleteChangeSet(client: CloudFormationClient, { id }: ChangeSet): Promise<void> {
  await client.send(new DeleteChangeSetCommand({ ChangeSetName: id }));
}
