/** Reads and checks the input of CreateChangeSet. */
import { AwsError, readMembers } from './query-protocol.ts';
import type { Deployed } from './simulated-stack.ts';
import { rejectParameter } from './template-values.ts';
import type { Template } from './template-yaml.ts';

/** Throws `AwsError` unless a stack with this status, or null, accepts the change set. */
export function checkStatus(name: string, kind: 'CREATE' | 'UPDATE', status: string | null): void {
  if (kind === 'UPDATE' && status === null)
    throw new AwsError('ValidationError', `Stack [${name}] does not exist`);
  if (kind === 'CREATE' && status !== null && status !== 'REVIEW_IN_PROGRESS') {
    throw new AwsError('AlreadyExistsException', `Stack [${name}] already exists`);
  }
  if (kind === 'UPDATE' && !/^(?:CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(status ?? '')) {
    throw new AwsError('ValidationError', `Stack:${name} is in ${status} state and can not be updated.`);
  }
}

/** The values of the request, and previous values where it says so. Throws `AwsError` for values that are not allowed. */
export function readParameters(
  form: URLSearchParams,
  template: Template,
  deployed: Deployed | null,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { ParameterKey = '', ParameterValue, UsePreviousValue } of readMembers(form, 'Parameters')) {
    const parameter = template.Parameters[ParameterKey];
    if (!parameter) {
      throw new AwsError('ValidationError', `Parameters: [${ParameterKey}] do not exist in the template`);
    }
    const previous = deployed?.parameters[ParameterKey] ?? String(parameter.Default ?? '');
    const value = UsePreviousValue === 'true' ? previous : (ParameterValue ?? '');
    const problem = rejectParameter(ParameterKey, value, parameter);
    if (problem !== null) throw new AwsError('ValidationError', problem);
    values[ParameterKey] = value;
  }
  return values;
}
