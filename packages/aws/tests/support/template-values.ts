/** Evaluates the functions of CloudFormation in a template, as far as the template of this repository uses them. */
import type { Json, Template, TemplateParameter } from './template-yaml.ts';

export type Evaluation = {
  template: Template;
  /** Values of the parameters; the others have their defaults. */
  parameters: Readonly<Record<string, string>>;
  /** Values such as `AWS::Region`. */
  pseudoParameters: Readonly<Record<string, string>>;
  /** What `Ref` (attribute null) and `Fn::GetAtt` of a resource return. */
  resource(logicalId: string, attribute: string | null): Json;
};

/** Stands for a property that `AWS::NoValue` removes. */
const NO_VALUE = Symbol('AWS::NoValue');

type Value = Json | typeof NO_VALUE;

/** The value without functions. Throws on functions and references that are not known. */
export function evaluate(value: Json, evaluation: Evaluation): Json {
  const result = resolve(value, evaluation);
  return result === NO_VALUE ? null : result;
}

/** The values of all parameters. */
export function parameterValues({ Parameters }: Template, given: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(Parameters).map(([name, { Default }]) => [name, given[name] ?? String(Default ?? '')]),
  );
}

/** The message of CloudFormation for a value that a parameter does not accept, or null. */
export function rejectParameter(name: string, value: string, parameter: TemplateParameter): string | null {
  const { AllowedPattern, AllowedValues, ConstraintDescription } = parameter;
  if (AllowedValues && !AllowedValues.map(String).includes(value)) {
    return `Parameter '${name}' must be one of AllowedValues`;
  }
  const values = parameter.Type === 'CommaDelimitedList' ? value.split(',') : [value];
  if (AllowedPattern === undefined || values.every((part) => new RegExp(AllowedPattern).test(part)))
    return null;
  return `Parameter ${name} failed to satisfy constraint: ${ConstraintDescription ?? AllowedPattern}`;
}

/** Whether the template's condition holds. */
export function holds(name: string, evaluation: Evaluation): boolean {
  const condition = evaluation.template.Conditions[name];
  if (condition === undefined) throw new Error(`There is no condition ${name}`);
  return evaluate(condition, evaluation) === true;
}

function resolve(value: Json, evaluation: Evaluation): Value {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => resolve(item, evaluation)).filter(isPresent);
  const [entry, ...others] = Object.entries(value);
  if (entry && others.length === 0 && /^(?:Ref$|Fn::)/.test(entry[0])) {
    return callFunction(entry[0], entry[1], evaluation);
  }
  const resolved = Object.entries(value).map(([key, item]) => [key, resolve(item, evaluation)] as const);
  return Object.fromEntries(resolved.filter((pair): pair is [string, Json] => isPresent(pair[1])));
}

function isPresent(value: Value): value is Json {
  return value !== NO_VALUE;
}

function callFunction(name: string, argument: Json, evaluation: Evaluation): Value {
  if (name === 'Ref') return reference(String(argument), evaluation);
  if (name === 'Fn::If') return chooseBranch(argument, evaluation);
  if (name === 'Fn::And') return namedConditions(argument).every((condition) => holds(condition, evaluation));
  const value = name === 'Fn::Sub' ? argument : evaluate(argument, evaluation);
  const [first = null, second = null] = Array.isArray(value) ? value : [value];
  switch (name) {
    case 'Fn::Sub':
      return substitute(argument, evaluation);
    case 'Fn::GetAtt':
      return evaluation.resource(String(first), String(second));
    case 'Fn::Equals':
      return first === second;
    case 'Fn::Not':
      return first !== true;
    case 'Fn::Join':
      return asList(second).join(String(first));
    case 'Fn::Split':
      return String(second).split(String(first));
    case 'Fn::Select':
      return asList(second)[Number(first)] ?? null;
    default:
      throw new Error(`The function ${name} is not known`);
  }
}

function reference(name: string, { template, parameters, pseudoParameters, resource }: Evaluation): Value {
  if (name === 'AWS::NoValue') return NO_VALUE;
  const pseudo = pseudoParameters[name];
  if (pseudo !== undefined) return pseudo;
  const parameter = template.Parameters[name];
  if (parameter) {
    const value = parameterValues(template, parameters)[name] ?? '';
    return parameter.Type === 'CommaDelimitedList' ? value.split(',') : value;
  }
  if (name in template.Resources) return resource(name, null);
  throw new Error(`There is nothing with the name ${name}`);
}

function chooseBranch(argument: Json, evaluation: Evaluation): Value {
  const [condition = null, whenTrue = null, whenFalse = null] = asList(argument);
  return resolve(holds(String(condition), evaluation) ? whenTrue : whenFalse, evaluation);
}

/** The names in `[{ Condition: name }, …]`. */
function namedConditions(argument: Json): string[] {
  return asList(argument).map((item) => String((item as { Condition: string }).Condition));
}

function substitute(argument: Json, evaluation: Evaluation): string {
  const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const own = evaluate(variables ?? {}, evaluation);
  return String(text).replace(/\$\{([\w:.]+)\}/g, (_match, name: string) => {
    if (own !== null && typeof own === 'object' && !Array.isArray(own) && name in own) {
      return String((own as Record<string, Json>)[name]);
    }
    const [logicalId = '', attribute] = name.split('.');
    return String(attribute ? evaluation.resource(logicalId, attribute) : reference(name, evaluation));
  });
}

function asList(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${JSON.stringify(value)} is not a list`);
}
