/** Runs a command: exit code, messages of errors, interruption. */
import { explainAwsError } from './aws-errors.ts';
import { CommandError } from './command-error.ts';
import { say, styled } from './terminal.ts';

export type CommandContext = {
  /** The region of the AWS calls, for messages. */
  region: string;
  /** Cleans up after Ctrl-C or SIGTERM and returns a message for the user. */
  onInterrupt(): Promise<string>;
  /** Whether the user has interrupted the command. The process ends when `onInterrupt` is done. */
  isInterrupted: boolean;
};

/** Runs the command of this process and sets its exit code. Errors become sentences on standard error. */
export async function runCommand(
  command: (args: string[], context: CommandContext) => Promise<void>,
): Promise<void> {
  const context: CommandContext = {
    region: process.env.AWS_REGION ?? 'that is configured',
    onInterrupt: async () => 'Interrupted. Nothing was changed.',
    isInterrupted: false,
  };
  // The pinned SDK runs on Node 20. It announces that releases of 2027 will not, which users cannot act on.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const interrupt = () => void exitAfterInterrupt(context);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    await command(process.argv.slice(2), context);
  } catch (error) {
    // The clean-up deletes what the command still works with.
    if (context.isInterrupted) return;
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
    process.stderr.write(`${styled('red', describeError(error, context.region))}\n`);
  }
}

/** The message for an error: AWS errors are explained, unknown ones keep their stack. */
export function describeError(error: unknown, region: string): string {
  if (error instanceof CommandError) return error.message;
  return (
    explainAwsError(error, region) ??
    (error instanceof Error ? (error.stack ?? error.message) : String(error))
  );
}

async function exitAfterInterrupt(context: CommandContext): Promise<void> {
  // npm and tsx may pass on a signal that the terminal has sent to this process too.
  if (context.isInterrupted) return;
  context.isInterrupted = true;
  say();
  try {
    say(await context.onInterrupt());
  } catch (error) {
    say(describeError(error, context.region));
  }
  process.exit(130);
}
