/** What the commands show and ask in the terminal. */
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

type Style = 'red' | 'green' | 'yellow' | 'bold';

/** The text in a color or in bold, or unchanged when the output is not a terminal or `NO_COLOR` is set. */
export function styled(style: Style, text: string): string {
  const isPlain = !process.stdout.isTTY || (process.env.NO_COLOR ?? '') !== '';
  return isPlain ? text : styleText(style, text);
}

/** Writes one line to standard output. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Whether the command can ask questions: input and output are terminals. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Asks a question and returns whether the answer is `y` or `yes`. The end of the input counts as no. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Without this, readline keeps Ctrl-C for itself.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed]);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
