/** A stand-in for an AWS account over HTTP: CloudFormation, Cognito and S3 as far as the commands use them. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../../../../tests/support/http/loopback-server.ts';
import { parseTemplate } from '../../template.ts';

export const REGION = 'eu-central-1';
export const CLIENT_SECRET = '1c2l3i4e5n6t7s8e9c0r1e2t3v4a5l6u7e8k9m0q1w2z3x4y5';
export const OWN_TAGS = [{ Key: 'tenfold:created-by', Value: 'aws:deploy' }];

type Xml = string | number | readonly Xml[] | { readonly [name: string]: Xml | undefined };
type Resource = { LogicalResourceId: string; ResourceType: string };
type ResourceChange = Resource & {
  Action: string;
  Replacement?: string;
  PolicyAction?: string;
  Details?: Xml;
};
type Event = Resource & { ResourceStatus: string; ResourceStatusReason?: string };

class AwsError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** A stack. `status` is that of the last operation, whose events the next requests show. */
export type StandInStack = {
  status: string;
  tags: readonly { Key: string; Value: string }[];
  parameters: Record<string, string>;
  outputs: Record<string, string>;
  isProtected: boolean;
  template: string;
  events: Event[];
};

type ChangeSet = Pick<StandInStack, 'tags' | 'parameters' | 'template'> & {
  stackName: string;
  changes: readonly ResourceChange[];
};

export class AwsStandIn {
  origin = '';
  readonly calls: string[] = [];
  readonly stacks = new Map<string, StandInStack>();
  /** Objects of S3 by `bucket/key`. */
  readonly objects = new Map<string, string>();
  /** What the next update changes. A creation adds every resource of the template. */
  changes: readonly ResourceChange[] = [];
  /** What happens to resources in the next operation, and the state in which it ends. */
  outcome: { events: readonly Event[]; status: string } | null = null;
  /** Checks that fail before anything is changed. */
  failedChecks: readonly (Resource & { ValidationStatusReason: string })[] = [];
  /** How many events of an operation the first request shows. */
  firstEvents = Number.POSITIVE_INFINITY;
  readonly #changeSets = new Map<string, ChangeSet>();
  readonly #server = createServer(async (request, response) => {
    const body = await text(request);
    try {
      response.end(this.#answer(request, body));
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { code, message, status } = error;
      response
        .writeHead(status)
        .end(`<ErrorResponse><Error>${toXml({ Code: code, Message: message })}</Error></ErrorResponse>`);
    }
  });

  async start(): Promise<void> {
    this.origin = await listenOnLoopback(this.#server);
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  /** Adds a stack of an earlier deployment. */
  addStack(name: string, stack: Partial<StandInStack> = {}): StandInStack {
    const defaults = { status: 'CREATE_COMPLETE', tags: OWN_TAGS, isProtected: true, template: '' };
    const added = { ...defaults, parameters: {}, outputs: {}, events: [], ...stack };
    this.stacks.set(name, added);
    return added;
  }

  #answer(request: IncomingMessage, body: string): string {
    if (request.method === 'PUT') {
      this.#authorize(request, 's3', 'PutObject');
      this.objects.set(new URL(request.url ?? '', this.origin).pathname.slice(1), body);
      return '';
    }
    const target = request.headers['x-amz-target'];
    if (target !== undefined) {
      this.#authorize(request, 'cognito-idp', String(target).split('.')[1]);
      return JSON.stringify({ UserPoolClient: { ...JSON.parse(body), ClientSecret: CLIENT_SECRET } });
    }
    const form = new URLSearchParams(body);
    const action = form.get('Action') ?? '';
    this.#authorize(request, 'cloudformation', action);
    const result = toXml(this.#call(action, form));
    return `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${result}</${action}Result></${action}Response>`;
  }

  /** Checks the scope of the credentials as AWS does, without the signature itself. */
  #authorize({ headers }: IncomingMessage, service: string, action = ''): void {
    this.calls.push(action);
    if (headers.authorization?.includes(`/${REGION}/${service}/aws4_request`)) return;
    throw new AwsError('InvalidClientTokenId', 'The security token included in the request is invalid.', 403);
  }

  #call(action: string, form: URLSearchParams): Xml {
    const name = nameOf(form.get('StackName') ?? '');
    const id = form.get('ChangeSetName') ?? '';
    switch (action) {
      case 'DescribeStacks':
        return { Stacks: [descriptionOf(name, this.#find(name))] };
      case 'CreateChangeSet':
        return this.#createChangeSet(name, form);
      case 'DescribeChangeSet':
        return this.#describeChangeSet(id, Number(form.get('NextToken') ?? 0));
      case 'DescribeEvents':
        return { OperationEvents: this.failedChecks };
      case 'DeleteChangeSet':
        this.#changeSets.delete(id);
        return {};
      case 'ExecuteChangeSet':
        return this.#executeChangeSet(id);
      case 'DescribeStackEvents':
        return this.#describeEvents(name, Number(form.get('NextToken') ?? 0));
      case 'DeleteStack': {
        const stack = this.#find(name);
        const isEmpty = stack.status === 'REVIEW_IN_PROGRESS';
        stack.status = 'DELETE_COMPLETE';
        stack.events.push(stackEvent(name, 'DELETE_IN_PROGRESS'), stackEvent(name, 'DELETE_COMPLETE'));
        if (isEmpty) this.stacks.delete(name);
        return {};
      }
      case 'UpdateTerminationProtection':
        this.#find(name).isProtected = form.get('EnableTerminationProtection') === 'true';
        return {};
      default:
        throw new AwsError('InvalidAction', `Could not find operation ${action} for version 2010-05-15`);
    }
  }

  #find(name: string): StandInStack {
    const stack = this.stacks.get(name);
    if (stack) return stack;
    throw new AwsError('ValidationError', `Stack with id ${name} does not exist`);
  }

  #createChangeSet(stackName: string, form: URLSearchParams): Xml {
    const isCreation = form.get('ChangeSetType') === 'CREATE';
    const present = this.stacks.get(stackName);
    if (isCreation !== (!present || /^(?:REVIEW_IN_PROGRESS|DELETE_COMPLETE)$/.test(present.status))) {
      throw new AwsError('ValidationError', `Stack:${stackName} is in ${present?.status} state`);
    }
    const template = this.#templateOf(form);
    const { Parameters, Resources } = parseTemplate(template);
    const parameters = members(form, 'Parameters').map(
      ({ ParameterKey = '', ParameterValue, UsePreviousValue }) => {
        const value = UsePreviousValue === 'true' ? present?.parameters[ParameterKey] : ParameterValue;
        if (value !== undefined && ParameterKey in Parameters) return [ParameterKey, value] as const;
        throw new AwsError('ValidationError', `Parameters: [${ParameterKey}] do not exist in the template`);
      },
    );
    if (isCreation) this.addStack(stackName, { status: 'REVIEW_IN_PROGRESS', tags: [], isProtected: false });
    const tags = members(form, 'Tags').map(({ Key = '', Value = '' }) => ({ Key, Value }));
    const added = Object.entries(Resources).map(([LogicalResourceId, { Type: ResourceType }]) => ({
      Action: 'Add',
      LogicalResourceId,
      ResourceType,
    }));
    const id = `arn:aws:cloudformation:${REGION}:123456789012:changeSet/${form.get('ChangeSetName')}/0a1b`;
    const changes = isCreation ? added : this.changes;
    this.#changeSets.set(id, {
      stackName,
      template,
      parameters: Object.fromEntries(parameters),
      tags,
      changes,
    });
    return { Id: id, StackId: idOf(stackName) };
  }

  #templateOf(form: URLSearchParams): string {
    const [body, address] = [form.get('TemplateBody'), form.get('TemplateURL')];
    if (body !== null && Buffer.byteLength(body) <= 51_200) return body;
    const [, bucket, key] =
      /^https:\/\/(.+)\.s3\.eu-central-1\.amazonaws\.com\/(.+)$/.exec(address ?? '') ?? [];
    const object = this.objects.get(`${bucket}/${key}`);
    if (object !== undefined && Buffer.byteLength(object) <= 1_000_000) return object;
    throw new AwsError(
      'ValidationError',
      'Template length must be less than or equal to 51200, and S3 must have it',
    );
  }

  /** Ten changes in a page. */
  #describeChangeSet(id: string, start: number): Xml {
    const { changes } = this.#changeSets.get(id) ?? {};
    if (!changes) throw new AwsError('ChangeSetNotFound', `ChangeSet [${id}] does not exist`, 404);
    if (this.failedChecks.length > 0)
      return { Status: 'FAILED', StatusReason: 'The following hook(s)/validation failed' };
    if (changes.length === 0)
      return { Status: 'FAILED', StatusReason: "The submitted information didn't contain changes." };
    const page = changes
      .slice(start, start + 10)
      .map((ResourceChange) => ({ Type: 'Resource', ResourceChange }));
    return {
      Status: 'CREATE_COMPLETE',
      Changes: page,
      NextToken: start + 10 < changes.length ? start + 10 : undefined,
    };
  }

  #executeChangeSet(id: string): Xml {
    const changeSet = this.#changeSets.get(id);
    if (!changeSet) throw new AwsError('ChangeSetNotFound', `ChangeSet [${id}] does not exist`, 404);
    const { stackName, changes, ...deployed } = changeSet;
    const stack = this.#find(stackName);
    const verb = stack.status === 'REVIEW_IN_PROGRESS' ? 'CREATE' : 'UPDATE';
    const events = changes.map(({ LogicalResourceId, ResourceType }) => ({
      LogicalResourceId,
      ResourceType,
      ResourceStatus: `${verb}_COMPLETE`,
    }));
    const outcome = this.outcome ?? { events, status: `${verb}_COMPLETE` };
    const ends = [`${verb}_IN_PROGRESS`, outcome.status].map((status) => stackEvent(stackName, status));
    stack.events.push(...ends.slice(0, 1), ...outcome.events, ...ends.slice(1));
    const outputs = Object.keys(parseTemplate(deployed.template).Outputs).map((name) => [
      name,
      `${stackName}-${name.toLowerCase()}`,
    ]);
    Object.assign(stack, deployed, { status: outcome.status, outputs: Object.fromEntries(outputs) });
    return {};
  }

  /** Twenty events in a page, the newest first. */
  #describeEvents(name: string, start: number): Xml {
    const stack = this.#find(name);
    const events = stack.events.map((event, index) => ({
      ...event,
      EventId: `event-${index}`,
      StackId: idOf(name),
      PhysicalResourceId:
        event.LogicalResourceId === name ? idOf(name) : `${name}-${event.LogicalResourceId}-1A2B`,
      Timestamp: '2026-11-22T08:00:00Z',
    }));
    const shown = events.slice(0, this.firstEvents).reverse();
    if (stack.events.length > 0) this.firstEvents = Number.POSITIVE_INFINITY;
    return {
      StackEvents: shown.slice(start, start + 20),
      NextToken: start + 20 < shown.length ? start + 20 : undefined,
    };
  }
}

function idOf(name: string): string {
  return `arn:aws:cloudformation:${REGION}:123456789012:stack/${name}/1a2b3c4d`;
}

function nameOf(nameOrId: string): string {
  return /:stack\/(.+)\//.exec(nameOrId)?.[1] ?? nameOrId;
}

function stackEvent(name: string, ResourceStatus: string): Event {
  return { LogicalResourceId: name, ResourceType: 'AWS::CloudFormation::Stack', ResourceStatus };
}

function descriptionOf(name: string, { status, tags, parameters, outputs, isProtected }: StandInStack): Xml {
  return {
    StackId: idOf(name),
    StackName: name,
    StackStatus: status,
    CreationTime: '2026-11-22T08:00:00Z',
    EnableTerminationProtection: String(isProtected),
    Tags: tags,
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
      ParameterKey,
      ParameterValue,
    })),
    Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
  };
}

/** The objects of a list in a form: `Tags.member.1.Key=a&Tags.member.1.Value=b`. */
function members(form: URLSearchParams, list: string): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  for (const [name, value] of form) {
    const [, index, field = ''] = new RegExp(`^${list}\\.member\\.(\\d+)\\.(.*)$`).exec(name) ?? [];
    if (index !== undefined) found[Number(index) - 1] = { ...found[Number(index) - 1], [field]: value };
  }
  return found;
}

function toXml(value: Xml): string {
  if (typeof value !== 'object') return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  if (Array.isArray(value)) return value.map((item) => `<member>${toXml(item)}</member>`).join('');
  return Object.entries(value)
    .map(([name, item]) => (item === undefined ? '' : `<${name}>${toXml(item)}</${name}>`))
    .join('');
}
