/** Creates or updates the AWS side of the site from `infra/template.yaml`: `npm run aws:deploy`. */
import type { Parameter } from '@aws-sdk/client-cloudformation';
import { runCommand } from './command/command.ts';
import { CommandError } from './command/command-error.ts';
import {
  checkNames,
  EXIT_CODES,
  formatHelp,
  readOptions,
  stackOptions,
  stackOptionsHelp,
} from './command/command-line.ts';
import { isInteractive, say } from './command/terminal.ts';
import { deploy, follow } from './deployment.ts';
import { parseTags } from './stack/tags.ts';
import { prepareTemplate } from './stack/template.ts';
import { parameterOptions } from './stack/template-parameters.ts';

const HELP = `npm run aws:deploy -- [options]

Creates or updates the CloudFormation stack with the AWS side of the site. It shows what would change, asks, and shows
the progress. Parameters and tags that are not given keep their values. Credentials come from the standard places of the AWS SDK.

${formatHelp([
  ...stackOptionsHelp,
  ['--yes', 'do not ask; needed without a terminal. Refuses changes that lose data or stop sign-in'],
  ['--allow-replacement', 'with --yes, also accept such changes'],
  ['--tag KEY=VALUE', 'tag of the stack and its resources; repeat it for several, and KEY= removes one'],
  ['--service-role ARN', 'IAM role with which CloudFormation changes the resources, now and later'],
  ['--plan', 'only show what would change'],
  ['--follow', 'only show the progress of the operation that runs, or the result of the last one'],
  ['--interval SECONDS', 'time between two requests for the progress (default 2)'],
])}

Parameters of the template:
${formatHelp(parameterOptions.map(({ option, placeholder, meaning }) => [`--${option} ${placeholder}`, meaning]))}

${EXIT_CODES}
After a deployment, npm run aws:env writes the environment of the site.`;

const parameterFlags = Object.fromEntries(
  parameterOptions.map(({ option }) => [option, { type: 'string', multiple: true } as const]),
);

await runCommand(async (args, context) => {
  const values = readOptions(args, {
    ...stackOptions,
    yes: { type: 'boolean', default: false },
    'allow-replacement': { type: 'boolean', default: false },
    tag: { type: 'string', multiple: true, default: [] },
    'service-role': { type: 'string' },
    plan: { type: 'boolean', default: false },
    follow: { type: 'boolean', default: false },
    interval: { type: 'string', default: '2' },
    ...parameterFlags,
  });
  if (values.help === true) return say(HELP);
  const target = {
    stackName: String(values['stack-name']),
    interval: parseInterval(String(values.interval)),
  };
  const region = values.region === undefined ? undefined : String(values.region);
  checkNames(target.stackName, region);
  if (values.follow === true) return follow(target, region, context);
  const isAsking = values.yes !== true && values.plan !== true;
  if (isAsking && !isInteractive()) {
    throw new CommandError(
      'There is no terminal to ask for confirmation. Add --yes to deploy, or --plan to see the changes.',
      2,
    );
  }
  await deploy(
    {
      ...target,
      template: prepareTemplate(),
      given: readParameters(values),
      givenTags: parseTags(Array.isArray(values.tag) ? values.tag.map(String) : []),
      serviceRole: parseServiceRole(values['service-role']),
      mode: values.plan === true ? 'plan' : isAsking ? 'ask' : 'yes',
      allowsReplacement: values['allow-replacement'] === true,
    },
    region,
    context,
  );
});

/** The parameters of the command line. */
function readParameters(values: Record<string, unknown>): Parameter[] {
  return parameterOptions.flatMap(({ option, parameter, parse }) => {
    const given = values[option];
    if (!Array.isArray(given)) return [];
    return [{ ParameterKey: parameter, ParameterValue: parse(given.join(',')) }];
  });
}

/** The ARN of a role, or null if none is given. */
function parseServiceRole(value: unknown): string | null {
  if (value === undefined) return null;
  if (/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(String(value))) return String(value);
  throw new CommandError('--service-role must be the ARN of an IAM role.', 2);
}

/** Milliseconds. */
function parseInterval(text: string): number {
  const seconds = Number(text);
  if (seconds >= 0 && seconds <= 60) return seconds * 1000;
  throw new CommandError('--interval must be a number of seconds from 0 to 60.', 2);
}
