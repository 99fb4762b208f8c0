/** The events of an operation on a stack, in the order and words of CloudFormation. */
import type { Change } from '@aws-sdk/client-cloudformation';
import type { Template } from './template-yaml.ts';

export type SimulatedEvent = {
  LogicalResourceId: string;
  ResourceType: string;
  ResourceStatus: string;
  ResourceStatusReason?: string;
};

const STACK_TYPE = 'AWS::CloudFormation::Stack';

export type Operation = {
  stackName: string;
  kind: 'CREATE' | 'UPDATE';
  changes: readonly Change[];
  template: Template;
  /** Reasons for which resources fail. */
  failures: ReadonlyMap<string, string>;
};

/** The events of a creation or an update. The last one is that of the stack. */
export function operationEvents({
  stackName,
  kind,
  changes,
  template,
  failures,
}: Operation): SimulatedEvent[] {
  const stack = (status: string, reason?: string) => event(stackName, STACK_TYPE, status, reason);
  const events = [stack(`${kind}_IN_PROGRESS`, 'User Initiated')];
  const done: [string, string][] = [];
  const resources = changes.map(({ ResourceChange }) => ResourceChange ?? {});
  for (const [
    index,
    { LogicalResourceId: id = '', ResourceType: type = '', Action },
  ] of resources.entries()) {
    const verb = Action === 'Add' ? 'CREATE' : Action === 'Remove' ? 'DELETE' : 'UPDATE';
    events.push(event(id, type, `${verb}_IN_PROGRESS`));
    const reason = failures.get(id);
    if (reason === undefined) {
      events.push(event(id, type, `${verb}_COMPLETE`));
      done.push([id, type]);
      continue;
    }
    // AWS works on several resources at once. When one fails, the others are canceled.
    const next = resources[index + 1];
    const cancelled = `Resource ${verb === 'CREATE' ? 'creation' : 'update'} cancelled`;
    if (next)
      events.push(event(next.LogicalResourceId ?? '', next.ResourceType ?? '', `${verb}_IN_PROGRESS`));
    events.push(event(id, type, `${verb}_FAILED`, reason));
    if (next)
      events.push(event(next.LogicalResourceId ?? '', next.ResourceType ?? '', `${verb}_FAILED`, cancelled));
    return [...events, ...rollbackEvents({ stackName, kind, template }, id, done.reverse())];
  }
  if (kind === 'UPDATE') events.push(stack('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'));
  return [...events, stack(`${kind}_COMPLETE`)];
}

/** The events of the deletion of a stack without resources. */
export function deletionEvents(stackName: string): SimulatedEvent[] {
  return [
    event(stackName, STACK_TYPE, 'DELETE_IN_PROGRESS', 'User Initiated'),
    event(stackName, STACK_TYPE, 'DELETE_COMPLETE'),
  ];
}

function rollbackEvents(
  { stackName, kind, template }: Pick<Operation, 'stackName' | 'kind' | 'template'>,
  failed: string,
  done: readonly [string, string][],
): SimulatedEvent[] {
  const prefix = kind === 'CREATE' ? 'ROLLBACK' : 'UPDATE_ROLLBACK';
  const reason = `The following resource(s) failed to ${kind.toLowerCase()}: [${failed}]. Rollback requested by user.`;
  const undone = done.flatMap(([id, type]) =>
    kind === 'CREATE'
      ? removalEvents(template, id, type)
      : [event(id, type, 'UPDATE_IN_PROGRESS'), event(id, type, 'UPDATE_COMPLETE')],
  );
  return [
    event(stackName, STACK_TYPE, `${prefix}_IN_PROGRESS`, reason),
    ...undone,
    event(stackName, STACK_TYPE, `${prefix}_COMPLETE`),
  ];
}

function removalEvents(template: Template, id: string, type: string): SimulatedEvent[] {
  if (template.Resources[id]?.DeletionPolicy === 'Retain') return [event(id, type, 'DELETE_SKIPPED')];
  return [event(id, type, 'DELETE_IN_PROGRESS'), event(id, type, 'DELETE_COMPLETE')];
}

function event(id: string, type: string, status: string, reason?: string): SimulatedEvent {
  const base = { LogicalResourceId: id, ResourceType: type, ResourceStatus: status };
  return reason === undefined ? base : { ...base, ResourceStatusReason: reason };
}
