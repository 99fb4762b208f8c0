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
  /** Reasons for which resources fail when a failed operation is rolled back. */
  rollbackFailures: ReadonlyMap<string, string>;
};

/** The events of a creation or an update. The last one is that of the stack. */
export function operationEvents(operation: Operation): SimulatedEvent[] {
  const { stackName, kind, changes, failures } = operation;
  const stack = (status: string) => event(stackName, STACK_TYPE, status);
  const events = [stack(`${kind}_IN_PROGRESS`)];
  const done: [string, string][] = [];
  for (const { ResourceChange } of changes) {
    const { Action, LogicalResourceId: id = '', ResourceType: type = '' } = ResourceChange ?? {};
    if (Action === 'Remove') continue;
    const verb = Action === 'Add' ? 'CREATE' : 'UPDATE';
    events.push(event(id, type, `${verb}_IN_PROGRESS`));
    const reason = failures.get(id);
    if (reason !== undefined) {
      events.push(event(id, type, `${verb}_FAILED`, reason));
      return [...events, ...rollbackEvents(operation, done.reverse())];
    }
    events.push(event(id, type, `${verb}_COMPLETE`));
    done.push([id, type]);
  }
  if (kind === 'UPDATE') events.push(stack('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'));
  return [...events, stack(`${kind}_COMPLETE`)];
}

/** The events of the deletion of a stack without resources. */
export function deletionEvents(stackName: string): SimulatedEvent[] {
  return ['DELETE_IN_PROGRESS', 'DELETE_COMPLETE'].map((status) => event(stackName, STACK_TYPE, status));
}

function rollbackEvents(
  { stackName, kind, template, rollbackFailures }: Operation,
  done: readonly [string, string][],
): SimulatedEvent[] {
  const prefix = kind === 'CREATE' ? 'ROLLBACK' : 'UPDATE_ROLLBACK';
  const verb = kind === 'CREATE' ? 'DELETE' : 'UPDATE';
  const stack = (status: string) => event(stackName, STACK_TYPE, status);
  const events = [stack(`${prefix}_IN_PROGRESS`)];
  for (const [id, type] of done) {
    const problem = rollbackFailures.get(id);
    if (problem !== undefined) {
      return [...events, event(id, type, `${verb}_FAILED`, problem), stack(`${prefix}_FAILED`)];
    }
    const isKept = kind === 'CREATE' && template.Resources[id]?.DeletionPolicy === 'Retain';
    events.push(event(id, type, isKept ? 'DELETE_SKIPPED' : `${verb}_COMPLETE`));
  }
  return [...events, stack(`${prefix}_COMPLETE`)];
}

function event(id: string, type: string, status: string, reason?: string): SimulatedEvent {
  const base = { LogicalResourceId: id, ResourceType: type, ResourceStatus: status };
  return reason === undefined ? base : { ...base, ResourceStatusReason: reason };
}
