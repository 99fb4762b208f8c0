/** The events of an operation on a stack, in the order and words of CloudFormation. */
import type { Change, ResourceChange } from '@aws-sdk/client-cloudformation';
import type { Resources } from './planned-changes.ts';
import type { Json, Template } from './template-yaml.ts';

export type SimulatedEvent = {
  LogicalResourceId: string;
  ResourceType: string;
  ResourceStatus: string;
  ResourceStatusReason?: string;
};

const STACK_TYPE = 'AWS::CloudFormation::Stack';
const DOMAIN_TYPE = 'AWS::Cognito::UserPoolDomain';
const SECOND_DOMAIN =
  'Resource handler returned message: "User pool already has a domain configured. (Service: CognitoIdentityProvider, Status Code: 400, Request ID: 0A1B)" (RequestToken: 1a2b, HandlerErrorCode: InvalidRequest)';

export type Operation = {
  stackName: string;
  kind: 'CREATE' | 'UPDATE';
  changes: readonly Change[];
  template: Template;
  /** The resources before the operation and after it. */
  before: Resources;
  after: Resources;
  /** Reasons for which resources fail. */
  failures: ReadonlyMap<string, string>;
  /** Reasons for which resources fail when a failed operation is rolled back. */
  rollbackFailures: ReadonlyMap<string, string>;
};

/**
 * The events of a creation or an update. The last one is that of the stack. Resources that are no longer needed are
 * deleted at the end, when everything else has succeeded.
 */
export function operationEvents(operation: Operation): SimulatedEvent[] {
  const { stackName, kind, template } = operation;
  const stack = (status: string, reason?: string) => event(stackName, STACK_TYPE, status, reason);
  const events = [stack(`${kind}_IN_PROGRESS`, 'User Initiated')];
  const done: [string, string][] = [];
  const resources = operation.changes.flatMap(({ ResourceChange }) => ResourceChange ?? []);
  const kept = resources.filter(({ Action }) => Action !== 'Remove');
  for (const [index, change] of kept.entries()) {
    const [id, type] = nameOf(change);
    const verb = change.Action === 'Add' ? 'CREATE' : 'UPDATE';
    const isReplaced = change.Replacement === 'True';
    const creation = 'Requested update requires the creation of a new physical resource; hence creating one.';
    events.push(event(id, type, `${verb}_IN_PROGRESS`, isReplaced ? creation : undefined));
    const reason = failureOf(change, operation);
    if (reason === undefined) {
      events.push(event(id, type, `${verb}_COMPLETE`));
      done.push([id, type]);
      continue;
    }
    // AWS works on several resources at once. When one fails, the others are canceled.
    const next = kept[index + 1];
    const cancelled = `Resource ${verb === 'CREATE' ? 'creation' : 'update'} cancelled`;
    if (next) events.push(event(...nameOf(next), `${verb}_IN_PROGRESS`));
    events.push(event(id, type, `${verb}_FAILED`, reason));
    if (next) events.push(event(...nameOf(next), `${verb}_FAILED`, cancelled));
    return [...events, ...rollbackEvents(operation, id, done.reverse())];
  }
  if (kind === 'CREATE') return [...events, stack('CREATE_COMPLETE')];
  const unneeded = resources.filter(
    ({ Action, Replacement }) => Action === 'Remove' || Replacement === 'True',
  );
  const removed = unneeded.flatMap((change) => {
    const [id, type] = nameOf(change);
    const policies = template.Resources[id];
    const policy = change.Action === 'Remove' ? change.PolicyAction : policies?.UpdateReplacePolicy;
    return removalEvents(id, type, policy === 'Retain');
  });
  return [...events, stack('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'), ...removed, stack('UPDATE_COMPLETE')];
}

/** The events of the deletion of a stack without resources. */
export function deletionEvents(stackName: string): SimulatedEvent[] {
  return [
    event(stackName, STACK_TYPE, 'DELETE_IN_PROGRESS', 'User Initiated'),
    event(stackName, STACK_TYPE, 'DELETE_COMPLETE'),
  ];
}

/**
 * Why a resource fails. A user pool has one domain in amazoncognito.com and one custom domain, and a new domain is created
 * while the old one exists.
 */
function failureOf(change: ResourceChange, { before, after, failures }: Operation): string | undefined {
  const [id, type] = nameOf(change);
  const isNew = change.Action === 'Add' || change.Replacement === 'True';
  if (type !== DOMAIN_TYPE || !isNew) return failures.get(id);
  const isCustom = (properties: Json | undefined) => JSON.stringify(properties)?.includes('CertificateArn');
  const wanted = isCustom(after.get(id)?.properties);
  const present = [...before.values()].filter((resource) => resource.type === DOMAIN_TYPE);
  return present.some(({ properties }) => isCustom(properties) === wanted) ? SECOND_DOMAIN : failures.get(id);
}

function rollbackEvents(
  { stackName, kind, template, rollbackFailures }: Operation,
  failed: string,
  done: readonly [string, string][],
): SimulatedEvent[] {
  const prefix = kind === 'CREATE' ? 'ROLLBACK' : 'UPDATE_ROLLBACK';
  const verb = kind === 'CREATE' ? 'DELETE' : 'UPDATE';
  const reason = `The following resource(s) failed to ${kind.toLowerCase()}: [${failed}]. Rollback requested by user.`;
  const events = [event(stackName, STACK_TYPE, `${prefix}_IN_PROGRESS`, reason)];
  for (const [id, type] of done) {
    const problem = rollbackFailures.get(id);
    if (problem !== undefined) {
      const rest = `The following resource(s) failed to ${verb.toLowerCase()}: [${id}].`;
      events.push(event(id, type, `${verb}_IN_PROGRESS`), event(id, type, `${verb}_FAILED`, problem));
      return [...events, event(stackName, STACK_TYPE, `${prefix}_FAILED`, rest)];
    }
    const isKept = template.Resources[id]?.DeletionPolicy === 'Retain';
    if (kind === 'CREATE') events.push(...removalEvents(id, type, isKept));
    else events.push(event(id, type, 'UPDATE_IN_PROGRESS'), event(id, type, 'UPDATE_COMPLETE'));
  }
  return [...events, event(stackName, STACK_TYPE, `${prefix}_COMPLETE`)];
}

function removalEvents(id: string, type: string, isKept: boolean): SimulatedEvent[] {
  if (isKept) return [event(id, type, 'DELETE_SKIPPED')];
  return [event(id, type, 'DELETE_IN_PROGRESS'), event(id, type, 'DELETE_COMPLETE')];
}

function nameOf({ LogicalResourceId: id = '', ResourceType: type = '' }: ResourceChange): [string, string] {
  return [id, type];
}

function event(id: string, type: string, status: string, reason?: string): SimulatedEvent {
  const base = { LogicalResourceId: id, ResourceType: type, ResourceStatus: status };
  return reason === undefined ? base : { ...base, ResourceStatusReason: reason };
}
