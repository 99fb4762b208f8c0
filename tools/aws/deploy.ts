/** Creates or updates the AWS side of the site from `infra/template.yaml`: `npm run aws:deploy`. */
import { parseArgs } from 'node:util';
import {
  CloudFormationClient,
  type Parameter,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { findProblems } from './check.ts';
import {
  CommandError,
  DEFAULT_STACK_NAME,
  runCommand,
  say,
  stackOptions,
  stackOptionsHelp,
} from './command.ts';
import { deploy, sendTemplate } from './deployment.ts';
import { requestHandler } from './stack.ts';
import { MAX_BODY_BYTES, prepareTemplate, readTemplate, type Template } from './template.ts';

await runCommand(async () => {
  const template = readTemplate();
  const { values } = parseArgs({
    options: {
      ...stackOptions,
      plan: { type: 'boolean' },
      yes: { type: 'boolean', default: false },
      'allow-replacement': { type: 'boolean', default: false },
      bucket: { type: 'string' },
      ...parameterOptions(template),
    },
  });
  if (values.help) return say(helpText(template));
  const body = prepareTemplate();
  await check(template, body);
  if (values.plan) return;
  const { region, 'stack-name': stackName } = values;
  const client = new CloudFormationClient({ requestHandler, ...(region ? { region } : {}) });
  const target = {
    client,
    region: await client.config.region(),
    stackName,
    yes: values.yes,
    allowsReplacement: values['allow-replacement'],
  };
  const stack = await deploy({
    ...target,
    template: await sendTemplate(target, body, values.bucket),
    parameters: Object.keys(template.Parameters),
    given: readParameters(template, values),
  });
  if (stack === null) return;
  const isUnprotected = stack.Parameters?.some(
    ({ ParameterKey, ParameterValue }) => ParameterKey === 'DeletionProtection' && ParameterValue === 'false',
  );
  await client.send(
    new UpdateTerminationProtectionCommand({
      StackName: stackName,
      EnableTerminationProtection: !isUnprotected,
    }),
  );
  const alias = stack.Outputs?.find(({ OutputKey }) => OutputKey === 'HostedLoginAliasTarget')?.OutputValue;
  if (alias !== undefined) say(`Create a DNS alias record or CNAME from the custom domain to ${alias}.`);
  const option = stackName === DEFAULT_STACK_NAME ? '' : ` -- --stack-name ${stackName}`;
  say(`Next, write the environment of the site: npm run aws:env${option}`);
});

/** Checks what can be checked without AWS. Throws `CommandError` with the problems. */
async function check(template: Template, body: string): Promise<void> {
  const bytes = Buffer.byteLength(body);
  const way = bytes > MAX_BODY_BYTES ? 'goes through a bucket' : 'is sent with the request';
  say(`The template has ${bytes} bytes and ${way}: the limit is ${MAX_BODY_BYTES}.`);
  const problems = await findProblems(template);
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  say('Each field has its resolver and permission, and the generated files are up to date.');
}

/** Each parameter of the template is an option. */
function parameterOptions({ Parameters }: Template) {
  const option = { type: 'string', multiple: true } as const;
  return Object.fromEntries(Object.keys(Parameters).map((name) => [optionOf(name), option]));
}

/** `DomainPrefix` is `domain-prefix`. */
function optionOf(parameter: string): string {
  return parameter === 'Origins' ? 'origin' : parameter.replace(/\B[A-Z]/g, '-$&').toLowerCase();
}

function readParameters({ Parameters }: Template, values: Readonly<Record<string, unknown>>): Parameter[] {
  return Object.keys(Parameters).flatMap((ParameterKey) => {
    const given = values[optionOf(ParameterKey)];
    return Array.isArray(given) ? { ParameterKey, ParameterValue: given.join(',') } : [];
  });
}

function helpText({ Parameters }: Template): string {
  const parameters = Object.entries(Parameters).map(
    ([name, { Default, Description }]) =>
      `  --${optionOf(name)} VALUE (default ${Default})\n      ${Description}`,
  );
  return `npm run aws:deploy -- [options]

Creates or updates the CloudFormation stack with the AWS side of the site. It shows what would change, asks, and shows
the progress. Parameters that are not given keep their values.

${stackOptionsHelp}
  --plan               only check the files, without AWS
  --yes                do not ask
  --allow-replacement  accept changes that lose data or stop something that visitors use
  --bucket NAME        bucket for a template above ${MAX_BODY_BYTES} bytes (default one of its own)

Parameters of the template. Repeat --origin for several.
${parameters.join('\n')}`;
}
