/** Reads the command lines of `npm run aws:deploy` and `npm run aws:env`. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const DEFAULT_STACK_NAME = 'tenfold';

/** The options that both commands have. */
export const stackOptions = {
  'stack-name': { type: 'string', default: DEFAULT_STACK_NAME },
  region: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Help texts of `stackOptions`. */
export const stackOptionsHelp: readonly (readonly [string, string])[] = [
  ['--stack-name NAME', `name of the CloudFormation stack (default ${DEFAULT_STACK_NAME})`],
  ['--region NAME', 'AWS region (default AWS_REGION or that of the profile)'],
  ['--help', 'print this text'],
];

/** What the exit codes of both commands mean. */
export const EXIT_CODES = `Exit codes: 0 done, 1 failed or refused, 2 the command line or the template is not usable, 130 interrupted.`;

/** The values of the options. Throws `CommandError` when an option is unknown or lacks its value. */
export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const sentence = error instanceof Error ? error.message.replace(/\. To specify .*$/s, '') : String(error);
    throw new CommandError(`${sentence.replace(/\.$/, '')}. Add --help to see the options.`, 2);
  }
}

/** Throws `CommandError` unless both could be names of a stack and of a region. */
export function checkNames(stackName: string, region: string | undefined): void {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(stackName)) {
    throw new CommandError(
      '--stack-name must start with a letter and have at most 128 letters, digits and hyphens.',
      2,
    );
  }
  if (region !== undefined && !/^[a-z]{2,3}(?:-[a-z]+)+-\d+$/.test(region)) {
    throw new CommandError(`"${region}" is not the name of an AWS region, such as eu-central-1.`, 2);
  }
}

/** Lines of a help text: options in one column, their meanings in another. */
export function formatHelp(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([option]) => option.length));
  return entries.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`).join('\n');
}
