/** A stack of the simulated account, and how it is described. */
import type { Change } from '@aws-sdk/client-cloudformation';
import type { SimulatedEvent } from './operation-events.ts';
import type { XmlValue } from './query-protocol.ts';
import { evaluateOutputs, evaluationOf, listParameters, type Place, physicalId } from './resource-values.ts';
import type { Template } from './template-yaml.ts';

const EVENTS_PER_PAGE = 20;
const STACK_TYPE = 'AWS::CloudFormation::Stack';
const TIME = new Date('2026-11-22T08:00:00Z');

type Tag = { Key: string; Value: string };

export type Deployed = {
  template: Template;
  parameters: Readonly<Record<string, string>>;
  tags: readonly Tag[];
  /** The role that was given, or that the stack already had. */
  serviceRole?: string | undefined;
};

export type SimulatedChangeSet = Deployed & {
  id: string;
  kind: 'CREATE' | 'UPDATE';
  description: string;
  changes: readonly Change[];
  /** How often it was described. The first time, CloudFormation has not computed it yet. */
  descriptions: number;
};

export type Result = { readonly [name: string]: XmlValue | undefined };

export class SimulatedStack {
  deployed: Deployed | null = null;
  isProtected = false;
  changeSets: SimulatedChangeSet[] = [];
  /** Oldest first. Each request for events reveals some more of them. */
  readonly #events: (SimulatedEvent & { id: string })[] = [];
  #revealed = 0;

  constructor(
    readonly place: Place,
    public status: string,
  ) {}

  /** Whether `wanted` is its name or id. A deleted stack has only its id. */
  isCalled(wanted: string): boolean {
    const { stackId, stackName } = this.place;
    return stackId === wanted || (stackName === wanted && this.status !== 'DELETE_COMPLETE');
  }

  addStackEvent(ResourceStatus: string): void {
    const LogicalResourceId = this.place.stackName;
    this.addEvents([{ LogicalResourceId, ResourceType: STACK_TYPE, ResourceStatus }]);
  }

  /** Adds events and reveals the first of them. */
  addEvents(events: readonly SimulatedEvent[]): void {
    for (const event of events) this.#events.push({ ...event, id: `event-${this.#events.length + 1}` });
    this.reveal(1);
  }

  /** Reveals events. The stack has the status of its newest revealed event. */
  reveal(count: number): void {
    this.#revealed = Math.min(this.#events.length, this.#revealed + count);
    const revealed = this.#events.slice(0, this.#revealed);
    const latest = revealed.findLast(({ ResourceType }) => ResourceType === STACK_TYPE);
    if (latest) this.status = latest.ResourceStatus;
  }

  describe(): Result {
    const { place, status, deployed } = this;
    const hasOutputs = /^(?:CREATE|UPDATE)(?!.*FAILED).*_COMPLETE$/.test(status);
    const outputs =
      deployed && hasOutputs
        ? evaluateOutputs(evaluationOf(deployed.template, deployed.parameters, place))
        : {};
    return {
      StackId: place.stackId,
      StackName: place.stackName,
      StackStatus: status,
      CreationTime: TIME,
      EnableTerminationProtection: String(this.isProtected),
      // A stack without resources shows neither tags nor parameters.
      Tags: deployed?.tags ?? [],
      Parameters: deployed ? listParameters(deployed.template, deployed.parameters) : [],
      Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
    };
  }

  /** A page of the revealed events, newest first. */
  describeEvents(token: string | null): Result {
    const events = this.#events.slice(0, this.#revealed).reverse();
    const start = Number(token ?? 0);
    const end = start + EVENTS_PER_PAGE;
    return {
      StackEvents: events.slice(start, end).map((event) => this.#describeEvent(event)),
      NextToken: end < events.length ? String(end) : undefined,
    };
  }

  #describeEvent({ id, ...event }: SimulatedEvent & { id: string }): XmlValue {
    const { place } = this;
    const { LogicalResourceId, ResourceType } = event;
    return {
      EventId: id,
      StackId: place.stackId,
      PhysicalResourceId:
        ResourceType === STACK_TYPE ? place.stackId : physicalId(LogicalResourceId, ResourceType, place),
      Timestamp: TIME,
      ...event,
    };
  }
}
