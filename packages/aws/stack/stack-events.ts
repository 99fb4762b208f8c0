/** Follows an operation of CloudFormation through the events of its stack. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CloudFormationClient,
  DescribeStackEventsCommand,
  type StackEvent,
} from '@aws-sdk/client-cloudformation';

export type FollowOptions = {
  /** The newest event before the operation; null if there is none. */
  after: string | null;
  /** Milliseconds between two requests for events. */
  interval: number;
  /** Called once for each event, oldest first. */
  onEvent(event: StackEvent): void;
};

/** The id of the stack's newest event, or null. */
export async function newestEvent(client: CloudFormationClient, stackId: string): Promise<string | null> {
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName: stackId }));
  return StackEvents[0]?.EventId ?? null;
}

/** The newest event before the operation that runs at the moment, else before the last one; null if there is none. */
export async function eventBeforeOperation(
  client: CloudFormationClient,
  stackId: string,
): Promise<string | null> {
  const events = await eventsAfter(client, stackId, null);
  const start = events.findLastIndex(
    (event) =>
      isOfStack(event) && /^(?:CREATE|UPDATE|DELETE|IMPORT)_IN_PROGRESS$/.test(event.ResourceStatus ?? ''),
  );
  return events[start - 1]?.EventId ?? null;
}

/** Waits until the operation has ended and returns its events, oldest first. The last one is that of the stack. */
export async function followOperation(
  client: CloudFormationClient,
  stackId: string,
  { after, interval, onEvent }: FollowOptions,
): Promise<readonly StackEvent[]> {
  const events: StackEvent[] = [];
  for (;;) {
    const latest = events.at(-1)?.EventId ?? after;
    for (const event of await eventsAfter(client, stackId, latest)) {
      events.push(event);
      onEvent(event);
      if (isOfStack(event) && !event.ResourceStatus?.endsWith('_IN_PROGRESS')) return events;
    }
    await sleep(interval);
  }
}

/** Whether the event is of the stack itself, not of one of its resources. */
export function isOfStack(event: StackEvent): boolean {
  return event.PhysicalResourceId === event.StackId;
}

/** The events after `last`, oldest first. CloudFormation lists the newest first, up to 100 in a page. */
async function eventsAfter(
  client: CloudFormationClient,
  stackId: string,
  last: string | null,
): Promise<StackEvent[]> {
  const found: StackEvent[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new DescribeStackEventsCommand({ StackName: stackId, NextToken: token }));
    for (const event of page.StackEvents ?? []) {
      if (event.EventId === last) return found.reverse();
      found.push(event);
    }
    token = page.NextToken;
  } while (token);
  return found.reverse();
}
