/**
 * The two ways in which the server's side fails expectedly. A `code` is for the log, the JSON answer and the choice
 * of a translated sentence; `message` is for developers and never reaches a page.
 */

export type UpstreamService =
  | 'hosted-login'
  | 'user-pool'
  | 'identity-pool'
  | 'data-api'
  | 'icon-api'
  | 'shared-store';

/** An upstream refused, failed, or answered what cannot be understood. `status` is what it answered, if it answered. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  constructor(
    readonly service: UpstreamService,
    readonly code: string,
    message: string,
    readonly details: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
  }
}

/** Bad configuration, every problem at once. A problem names its variable and what is wrong, never the value. */
export class EnvError extends Error {
  override readonly name = 'EnvError';

  constructor(readonly problems: readonly string[]) {
    super(`The environment is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}
