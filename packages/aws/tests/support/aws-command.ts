/** Runs `npm run aws:deploy` and `npm run aws:env` as processes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { bundleCommand } from '../../../../tests/support/setup/bundled-command.ts';
import { type AwsAccount, REGION } from './aws-account.ts';

export type CommandResult = {
  code: number | null;
  /** Standard output and standard error. */
  output: string;
};

export type CommandSetup = {
  account: Pick<AwsAccount, 'origin'>;
  /** Working folder: files are written here. */
  folder: string;
  environment?: Readonly<Record<string, string | undefined>>;
  /** Runs the command in a terminal and types this at the first question. */
  answer?: string;
  /** Starts the TypeScript source with tsx, as npm does. The bundle starts in less than half of the time. */
  fromSource?: boolean;
};

/** Whether `script` of util-linux is installed, which runs a command in a terminal. */
export const hasTerminals = /util-linux/.test(
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '',
);

const root = new URL('../../../../', import.meta.url);
const tsx = new URL('node_modules/tsx/dist/loader.mjs', root).href;
const pathOf = (file: string) => fileURLToPath(new URL(file, root));

/** Runs a command to its end. Rejects when it prints a secret. */
export async function runAwsCommand(
  name: 'deploy' | 'env',
  args: readonly string[],
  setup: CommandSetup,
): Promise<CommandResult> {
  const { result } = await startAwsCommand(name, args, setup);
  return result;
}

/** Starts a command. `result` resolves when it has ended. */
export async function startAwsCommand(
  name: 'deploy' | 'env',
  args: readonly string[],
  { account, folder, environment = {}, answer, fromSource = false }: CommandSetup,
): Promise<{ child: ChildProcess; result: Promise<CommandResult> }> {
  const source = pathOf(`packages/aws/${name}.ts`);
  const start = fromSource
    ? ['--import', tsx, source]
    : [await bundleCommand(source, { withPackages: true })];
  const command = [process.execPath, ...start, ...args] as const;
  const inTerminal = ['script', '--quiet', '--return', '--command', command.join(' '), '/dev/null'] as const;
  const [file, ...rest] = answer === undefined ? command : inTerminal;
  const child = spawn(file, rest, {
    cwd: folder,
    // Nothing of the machine's own AWS configuration.
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      HOME: folder,
      TERM: 'xterm',
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      AWS_ENDPOINT_URL: account.origin,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (answer === undefined) child.stdin.end();
  return { child, result: collectResult(child, answer) };
}

async function collectResult(child: ChildProcess, answer: string | undefined): Promise<CommandResult> {
  let output = '';
  let isAnswered = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (answer === undefined || isAnswered || !output.includes('[y/N]')) return;
      isAnswered = true;
      child.stdin?.write(answer);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const secret = findSecret(output);
  if (secret !== null) throw new Error(`The command printed ${secret}`);
  return { code, output };
}
