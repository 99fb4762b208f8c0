/** An expected failure of a command. The message is whole sentences: what happened and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    /** 1: the command failed or was refused. 2: the command line or the template is not usable. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}
