/** One deployment: shows what would change, asks, makes the changes, and shows the progress. */
import type { CloudFormationClient, Parameter, Stack, StackEvent } from '@aws-sdk/client-cloudformation';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describeInterruptions, formatChanges, refuseLosses } from './changes.ts';
import { CommandError, confirm, red, say } from './command.ts';
import {
  createChangeSet,
  discard,
  execute,
  findStack,
  isNew,
  isOfStack,
  outputOf,
  remove,
  requestHandler,
} from './stack.ts';
import { MAX_BODY_BYTES, objectKey, readSource } from './template.ts';

export type Target = {
  client: CloudFormationClient;
  region: string;
  stackName: string;
  /** Whether to go on without asking. */
  yes: boolean;
  /** Whether to go on with changes that lose data or stop something that visitors use. */
  allowsReplacement: boolean;
};

export type Deployment = Target & {
  template: { TemplateBody: string } | { TemplateURL: string };
  /** Names of the parameters of the template. */
  parameters: readonly string[];
  /** Parameters of the command line. The others keep their deployed values. */
  given: readonly Parameter[];
};

/** Returns the changed stack, or null if nothing was changed. Throws `CommandError` when the changes are refused or fail. */
export async function deploy(deployment: Deployment): Promise<Stack | null> {
  const { client, region, stackName, template, given, yes, allowsReplacement } = deployment;
  const stack = await readyStack(deployment);
  const deployed = isNew(stack) ? [] : (stack?.Parameters ?? []);
  const changeSet = await createChangeSet(client, stack, {
    StackName: stackName,
    ...template,
    Parameters: [...given, ...keptParameters(deployment, deployed)],
  });
  const { changes, stackId } = changeSet;
  let isAccepted = false;
  try {
    if (changes.length === 0) {
      say(`The stack "${stackName}" is up to date.`);
      return null;
    }
    // arn:aws:cloudformation:{region}:{account}:stack/{name}/{id}
    const account = stackId.split(':')[4];
    say(
      `${isNew(stack) ? 'Create' : 'Update'} the stack "${stackName}" in ${region}, AWS account ${account}:`,
    );
    const interruptions = describeInterruptions(given, deployed);
    for (const line of interruptions) say(red(`  ! ${line}`));
    for (const line of formatChanges(changes)) say(line);
    refuseLosses(changes, interruptions, allowsReplacement);
    isAccepted = yes || (await confirm('Deploy?'));
  } finally {
    if (!isAccepted) await discard(client, changeSet, stack);
  }
  if (!isAccepted) {
    say('Nothing was changed.');
    return null;
  }
  say('CloudFormation makes the changes now. It goes on even if this command is ended.');
  const events = await execute(client, changeSet, showEvent);
  const status = events.at(-1)?.ResourceStatus ?? '';
  if (!/^(?:CREATE|UPDATE)_COMPLETE$/.test(status)) throw new CommandError(explainFailure(events, status));
  say(`The stack "${stackName}" is ready.`);
  return findStack(client, stackName);
}

/**
 * How CloudFormation gets a template: with the request, or a large one through the bucket. Without `bucket` that is one
 * of its own, which a stack beside that of the site creates.
 */
export async function sendTemplate(
  target: Target,
  body: string,
  bucket: string | undefined,
): Promise<Deployment['template']> {
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return { TemplateBody: body };
  const Bucket = bucket ?? (await ownBucket(target));
  const Key = objectKey(target.stackName, body);
  const s3 = new S3Client({ region: target.region, requestHandler });
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: body }));
  return { TemplateURL: `https://${Bucket}.s3.${target.region}.amazonaws.com/${Key}` };
}

async function ownBucket(target: Target): Promise<string> {
  const stackName = `${target.stackName}-templates`;
  const present = await findStack(target.client, stackName);
  const template = { TemplateBody: readSource('template-bucket.yaml') };
  const stack = isNew(present)
    ? await deploy({ ...target, stackName, template, parameters: [], given: [] })
    : present;
  if (stack === null) throw new CommandError('The template needs a bucket. Name one with --bucket.');
  return outputOf(stack, 'Bucket');
}

/** The stack, or null. Deletes one whose creation failed, after asking: CloudFormation accepts nothing else. */
async function readyStack({ client, stackName, yes }: Target): Promise<Stack | null> {
  const stack = await findStack(client, stackName);
  const status = stack?.StackStatus ?? '';
  if (!/^(?:ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED)$/.test(status)) return stack;
  say(`The creation of the stack "${stackName}" failed earlier (${status}). It has to be deleted first.`);
  if (!yes && !(await confirm('Delete it?'))) throw new CommandError('Nothing was changed.');
  const events = await remove(client, stack?.StackId ?? stackName, showEvent);
  const result = events.at(-1)?.ResourceStatus ?? '';
  if (result !== 'DELETE_COMPLETE') throw new CommandError(explainFailure(events, result));
  return null;
}

/** The deployed parameters that the template still has and the command line does not name. */
function keptParameters({ parameters, given }: Deployment, deployed: readonly Parameter[]): Parameter[] {
  const isGiven = (name: string) => given.some(({ ParameterKey }) => ParameterKey === name);
  return deployed.flatMap(({ ParameterKey = '' }) =>
    parameters.includes(ParameterKey) && !isGiven(ParameterKey)
      ? { ParameterKey, UsePreviousValue: true }
      : [],
  );
}

function showEvent(event: StackEvent): void {
  const { Timestamp, ResourceStatus = '' } = event;
  const line = `  ${Timestamp?.toLocaleTimeString('en-GB')}  ${ResourceStatus}  ${isOfStack(event) ? 'the stack' : nameOf(event)}`;
  say(ResourceStatus.endsWith('_FAILED') ? red(line) : line);
}

/** The resources that failed with their reasons, those that were kept, and what the state of the stack means. */
function explainFailure(events: readonly StackEvent[], status: string): string {
  // CloudFormation stops the others when one has failed.
  const isCause = ({ ResourceStatus, ResourceStatusReason = '' }: StackEvent) =>
    ResourceStatus?.endsWith('_FAILED') &&
    !/^Resource (?:creation|update|deletion) cancelled/i.test(ResourceStatusReason);
  const failed = events.filter((event) => isCause(event) && !isOfStack(event));
  const kept = events.filter(({ ResourceStatus }) => ResourceStatus === 'DELETE_SKIPPED');
  return [
    ...failed.map((event) => `${nameOf(event)} failed: ${event.ResourceStatusReason}`),
    ...kept.map((event) => `${nameOf(event)} was kept as ${event.PhysicalResourceId}. You can delete it.`),
    `The stack is now in the state ${status}. ${consequenceOf(status)}`,
  ].join('\n');
}

function consequenceOf(status: string): string {
  if (status === 'UPDATE_ROLLBACK_COMPLETE') return 'The previous state is restored.';
  if (status !== 'UPDATE_ROLLBACK_FAILED') return 'The site cannot use it.';
  return 'Some resources have the new settings, others the old ones. Correct the cause, then choose "Continue update rollback" in the CloudFormation console.';
}

function nameOf({ LogicalResourceId, ResourceType }: StackEvent): string {
  return `${LogicalResourceId} (${ResourceType})`;
}
