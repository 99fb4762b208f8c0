/** CloudFormation as far as the commands use it: change sets, stacks and their events. */
import { deletionEvents, operationEvents } from './operation-events.ts';
import { planChanges, type Resources } from './planned-changes.ts';
import { AwsError, readMembers, type XmlValue } from './query-protocol.ts';
import { evaluateResources, evaluationOf } from './resource-values.ts';
import { type Deployed, type Result, type SimulatedChangeSet, SimulatedStack } from './simulated-stack.ts';
import { rejectParameter } from './template-values.ts';
import { parseTemplate, type Template } from './template-yaml.ts';

const CHANGES_PER_PAGE = 10;

/** A failed check of a resource before anything is changed. `DescribeEvents` returns it. */
export type EarlyFailure = {
  LogicalResourceId: string;
  ValidationStatusReason: string;
};

const EARLY_VALIDATION =
  'The following hook(s)/validation failed: [AWS::EarlyValidation::ResourceExistenceCheck]. To troubleshoot Early Validation errors, use the DescribeEvents API for detailed failure information.';

const NO_CHANGES =
  "The submitted information didn't contain changes. Submit different information to create a change set.";

/** The stacks of one account in one region. */
export class SimulatedCloudFormation {
  readonly stacks: SimulatedStack[] = [];
  /** Reasons for which resources fail, by logical id. */
  readonly failures = new Map<string, string>();
  /** Reasons for which resources fail in a rollback, by logical id. */
  readonly rollbackFailures = new Map<string, string>();
  /** What CloudFormation finds while it computes a change set. */
  earlyFailures: readonly EarlyFailure[] = [];
  /** How many more events each request reveals. */
  eventsPerRequest = 12;

  constructor(
    readonly region: string,
    readonly account: string,
  ) {}

  /** Adds a stack that exists before the command runs. */
  addStack(stackName: string, status: string, deployed: Deployed | null): SimulatedStack {
    const { region, account } = this;
    const id = `1a2b3c4d-5e6f-11f0-9abc-${String(this.stacks.length + 1).padStart(12, '0')}`;
    const stackId = `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/${id}`;
    const stack = new SimulatedStack({ region, account, stackName, stackId }, status);
    stack.deployed = deployed;
    this.stacks.push(stack);
    return stack;
  }

  /** The stack with this name or id. */
  find(wanted: string): SimulatedStack {
    const stack = this.stacks.findLast((candidate) => candidate.isCalled(wanted));
    if (stack) return stack;
    throw new AwsError('ValidationError', `Stack with id ${wanted} does not exist`);
  }

  /** The result of an operation. Throws `AwsError`. */
  call(action: string, form: URLSearchParams): Result {
    switch (action) {
      case 'CreateChangeSet':
        return this.#createChangeSet(form);
      case 'DescribeChangeSet':
        return this.#describeChangeSet(form);
      case 'DescribeEvents':
        return this.#describeEarlyFailures(form);
      case 'ExecuteChangeSet':
        return this.#executeChangeSet(form);
      case 'DeleteChangeSet':
        return this.#deleteChangeSet(form);
      case 'ListChangeSets':
        return this.#listChangeSets(form);
      case 'DescribeStacks':
        return { Stacks: [this.#stackOf(form).describe()] };
      case 'DescribeStackEvents':
        return this.#describeStackEvents(form);
      case 'DeleteStack':
        return this.#deleteStack(form);
      case 'UpdateTerminationProtection':
        this.#stackOf(form).isProtected = form.get('EnableTerminationProtection') === 'true';
        return {};
      default:
        throw new AwsError('InvalidAction', `Could not find operation ${action} for version 2010-05-15`);
    }
  }

  #stackOf(form: URLSearchParams): SimulatedStack {
    return this.find(form.get('StackName') ?? '');
  }

  /** A page of the events. A request for the first page reveals some more. */
  #describeStackEvents(form: URLSearchParams): Result {
    const stack = this.#stackOf(form);
    const token = form.get('NextToken');
    if (token === null) stack.reveal(this.eventsPerRequest);
    return stack.describeEvents(token);
  }

  #listChangeSets(form: URLSearchParams): Result {
    const { changeSets } = this.#stackOf(form);
    return {
      Summaries: changeSets.map(({ id, description }) => ({ ChangeSetId: id, Description: description })),
    };
  }

  #createChangeSet(form: URLSearchParams): Result {
    const name = form.get('StackName') ?? '';
    const kind = form.get('ChangeSetType') === 'CREATE' ? 'CREATE' : 'UPDATE';
    const present = this.stacks.findLast((stack) => stack.isCalled(name)) ?? null;
    const isNew = present === null || present.status === 'REVIEW_IN_PROGRESS';
    if (isNew !== (kind === 'CREATE')) {
      throw new AwsError('ValidationError', `Stack:${name} is in ${present?.status} state`);
    }
    const template = parseTemplate(form.get('TemplateBody') ?? '');
    const parameters = readParameters(form, template, present?.deployed ?? null);
    if (form.get('Capabilities.member.1') !== 'CAPABILITY_IAM') {
      throw new AwsError('InsufficientCapabilitiesException', 'Requires capabilities : [CAPABILITY_IAM]');
    }
    const stack = present ?? this.addStack(name, 'REVIEW_IN_PROGRESS', null);
    if (!present) stack.addStackEvent('REVIEW_IN_PROGRESS');
    const tags = readMembers(form, 'Tags').map(({ Key = '', Value = '' }) => ({ Key, Value }));
    const serviceRole = form.get('RoleARN') ?? present?.deployed?.serviceRole;
    const next: Deployed = { template, parameters, tags, serviceRole };
    const description = form.get('Description') ?? '';
    const id = stack.place.stackId.replace(/:stack\/.*$/, `:changeSet/${form.get('ChangeSetName')}/0a1b`);
    const changes = planChanges(resourcesOf(stack, stack.deployed), resourcesOf(stack, next), {
      before: stack.deployed?.template ?? null,
      after: template,
    });
    stack.changeSets.push({ ...next, id, kind, description, changes, descriptions: 0 });
    return { Id: id, StackId: stack.place.stackId };
  }

  #findChangeSet(form: URLSearchParams): { stack: SimulatedStack; changeSet: SimulatedChangeSet } {
    const id = form.get('ChangeSetName');
    for (const stack of this.stacks) {
      const changeSet = stack.changeSets.find((candidate) => candidate.id === id);
      if (changeSet) return { stack, changeSet };
    }
    throw new AwsError('ChangeSetNotFound', `ChangeSet [${id}] does not exist`, 404);
  }

  #describeChangeSet(form: URLSearchParams): Result {
    const { changeSet } = this.#findChangeSet(form);
    changeSet.descriptions += 1;
    if (changeSet.descriptions === 1) return { Status: 'CREATE_IN_PROGRESS' };
    if (this.earlyFailures.length > 0) return { Status: 'FAILED', StatusReason: EARLY_VALIDATION };
    if (changeSet.changes.length === 0) return { Status: 'FAILED', StatusReason: NO_CHANGES };
    const start = Number(form.get('NextToken') ?? 0);
    const end = start + CHANGES_PER_PAGE;
    return {
      Status: 'CREATE_COMPLETE',
      // The SDK's type of a change has no index signature.
      Changes: changeSet.changes.slice(start, end) as unknown as XmlValue,
      NextToken: end < changeSet.changes.length ? String(end) : undefined,
    };
  }

  /** The events of a change set, as long as it exists. */
  #describeEarlyFailures(form: URLSearchParams): Result {
    this.#findChangeSet(form);
    return {
      OperationEvents: this.earlyFailures.map((failure) => ({
        ResourceType: 'AWS::Logs::LogGroup',
        ...failure,
      })),
    };
  }

  #executeChangeSet(form: URLSearchParams): Result {
    const { stack, changeSet } = this.#findChangeSet(form);
    const { kind, changes, template } = changeSet;
    const { failures, rollbackFailures } = this;
    const { stackName } = stack.place;
    const events = operationEvents({ stackName, kind, changes, template, failures, rollbackFailures });
    const isSuccessful = /^(?:CREATE|UPDATE)_COMPLETE$/.test(events.at(-1)?.ResourceStatus ?? '');
    if (kind === 'CREATE' || isSuccessful) stack.deployed = changeSet;
    stack.changeSets = [];
    stack.addEvents(events);
    return {};
  }

  #deleteChangeSet(form: URLSearchParams): Result {
    const { stack, changeSet } = this.#findChangeSet(form);
    stack.changeSets = stack.changeSets.filter((other) => other !== changeSet);
    return {};
  }

  #deleteStack(form: URLSearchParams): Result {
    const stack = this.#stackOf(form);
    if (stack.isProtected) {
      throw new AwsError('ValidationError', 'It cannot be deleted while TerminationProtection is enabled');
    }
    if (stack.deployed === null) stack.status = 'DELETE_COMPLETE';
    // What a failed creation left: its resources are deleted already.
    else stack.addEvents(deletionEvents(stack.place.stackName));
    return {};
  }
}

/** The values of the request, and previous values where it says so. Throws `AwsError` for values that are not allowed. */
function readParameters(
  form: URLSearchParams,
  template: Template,
  deployed: Deployed | null,
): Record<string, string> {
  const given = readMembers(form, 'Parameters');
  return Object.fromEntries(
    given.map(({ ParameterKey: name = '', ParameterValue = '', UsePreviousValue }) => {
      const parameter = template.Parameters[name];
      if (!parameter) throw new AwsError('ValidationError', `The template has no parameter ${name}`);
      const previous = deployed?.parameters[name] ?? String(parameter.Default);
      const value = UsePreviousValue === 'true' ? previous : ParameterValue;
      const problem = rejectParameter(name, value, parameter);
      if (problem !== null) throw new AwsError('ValidationError', problem);
      return [name, value];
    }),
  );
}

function resourcesOf({ place }: SimulatedStack, deployed: Deployed | null): Resources {
  if (deployed === null) return new Map();
  const resources = evaluateResources(evaluationOf(deployed.template, deployed.parameters, place));
  // CloudFormation passes the tags on to the resources, except the tag of the command in this simulation.
  const Tags = deployed.tags.filter(({ Key }) => Key !== 'tenfold:created-by');
  if (Tags.length === 0) return resources;
  return new Map(
    [...resources].map(([id, { type, properties }]) => [
      id,
      { type, properties: { ...(properties as object), Tags } },
    ]),
  );
}
