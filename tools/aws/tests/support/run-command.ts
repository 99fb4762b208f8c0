/** Runs `npm run aws:deploy` and `npm run aws:env` as processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { bundleCommand } from '../../../../tests/support/setup/bundled-command.ts';
import { type AwsStandIn, REGION } from './aws-stand-in.ts';

/** A new folder with the files that a deployment reads. */
export function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenfold-aws-'));
  for (const name of ['infra', 'schema.graphql']) cpSync(name, join(folder, name), { recursive: true });
  return folder;
}

/** Runs a command to its end and returns its exit code and all output. Rejects when it prints a secret. */
export async function runCommand(
  name: 'deploy' | 'env',
  args: readonly string[],
  {
    folder,
    account,
    input = '',
    environment = {},
  }: {
    folder: string;
    account?: AwsStandIn;
    input?: string;
    environment?: Record<string, string | undefined>;
  },
): Promise<{ code: number | null; output: string }> {
  const source = fileURLToPath(new URL(`../../${name}.ts`, import.meta.url));
  const script = await bundleCommand(source, { withPackages: true });
  const credentials = {
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    // Nothing of the machine's own AWS configuration.
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      HOME: folder,
      AWS_EC2_METADATA_DISABLED: 'true',
      ...(account ? { ...credentials, AWS_REGION: REGION, AWS_ENDPOINT_URL: account.origin } : {}),
      ...environment,
    },
  });
  child.stdin.end(input);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const secret = findSecret(output);
  if (secret !== null) throw new Error(`The command printed ${secret}`);
  return { code, output };
}
