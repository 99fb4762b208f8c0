/** What `npm run aws:deploy` and `npm run aws:env` share: options, output, questions and errors. */
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };

/** The name of the site in package.json. */
export const DEFAULT_STACK_NAME = packageJson.name;

/** The options that both commands have. */
export const stackOptions = {
  'stack-name': { type: 'string', default: DEFAULT_STACK_NAME },
  region: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Help texts of `stackOptions`. */
export const stackOptionsHelp = `  --stack-name NAME    name of the CloudFormation stack (default ${DEFAULT_STACK_NAME})
  --region NAME        AWS region (default AWS_REGION or that of the profile)`;

/** An expected failure. The message is whole sentences: what happened and what to do. */
export class CommandError extends Error {}

/** Writes one line to standard output. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** The text in red, or unchanged when the output is not a terminal or `NO_COLOR` is set. */
export function red(text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? styleText('red', text) : text;
}

/** Asks a question and returns whether the answer is `y` or `yes`. Ctrl-C and the end of the input count as no. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.once('SIGINT', () => terminal.close());
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `).catch(() => ''), closed]);
  terminal.close();
  say();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Runs the command of this process. An error becomes sentences on standard error and exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  // The pinned SDK runs on Node 20. It announces that releases of 2027 will not, which users cannot act on.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${describeError(error)}\n`);
  }
}

/** The message for an error. An error that is not expected keeps its stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof CommandError || code.startsWith('ERR_PARSE_ARGS')) return message;
  if (message.startsWith('Region is missing')) {
    return 'There is no AWS region. Add --region, for example --region eu-central-1, or set AWS_REGION.';
  }
  if (/^(?:Credentials|Token)ProviderError$/.test(name)) {
    return `There are no usable AWS credentials (${message}). Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or sign in with \`aws sso login\`.`;
  }
  if (/^E[A-Z]+$/.test(code)) return `AWS cannot be reached (${code}). Check the region and the network.`;
  if (!('$metadata' in error)) return error.stack ?? message;
  const hint = name.startsWith('AccessDenied') ? ' docs/deploy-to-aws.md lists the permissions.' : '';
  return `AWS reports ${name}: ${message}${hint}`;
}
