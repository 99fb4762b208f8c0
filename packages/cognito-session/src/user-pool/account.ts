/** The operations of the user pools API with which users change their own account (AWS, user pools API reference). */
import { z } from 'zod';
import { type Clock, createUpstream, type Log, UpstreamError, type UpstreamMetrics } from '#upstream';
import type { Settings } from '../settings.ts';
import { AccountError, type AccountErrorCode } from './account-error.ts';
import { callUserPool } from './user-pool-client.ts';

/** The attributes of a user, by their names in the user pool, such as `email`. */
export type AccountUser = { username: string; attributes: Readonly<Record<string, string>> };

/** The account of one user. Each method rejects with an `AccountError`, after at most ten seconds. */
export type Account = {
  getUser(): Promise<AccountUser>;
  /** Sets the attribute `name` to the trimmed text. A blank text deletes it. */
  updateName(name: string): Promise<void>;
  /** Replaces the password. The sessions of the user continue. */
  changePassword(passwords: { previous: string; proposed: string }): Promise<void>;
  /** Deletes the user at once and for good. Succeeds too if the user has been deleted before. */
  deleteUser(): Promise<void>;
};

type AccountDeps = { env: Pick<Settings, 'userPool'>; clock: Clock; log: Log; metrics?: UpstreamMetrics };

const TIMEOUT_MS = 10_000;
const MAX_CONCURRENT = 20;
const MAX_QUEUED = 500;

const userResponse = z.object({
  Username: z.string(),
  UserAttributes: z.array(z.object({ Name: z.string(), Value: z.string().default('') })),
});

/** What every operation may be rejected with. Every other error means `unavailable`. */
const CODES = new Map<string, AccountErrorCode>([
  ['InvalidParameterException', 'invalid'],
  ['InvalidPasswordException', 'password-policy'],
  ['LimitExceededException', 'limit-exceeded'],
  ['NotAuthorizedException', 'expired'],
  ['PasswordHistoryPolicyViolationException', 'password-reused'],
  ['PasswordResetRequiredException', 'expired'],
  ['TooManyRequestsException', 'limit-exceeded'],
  ['UserNotConfirmedException', 'expired'],
  ['UserNotFoundException', 'expired'],
]);

/** Returns a function that opens the account of an access token with the scope `aws.cognito.signin.user.admin`. */
export function createAccounts({ env, clock, log, metrics }: AccountDeps): (accessToken: string) => Account {
  const { endpoint } = env.userPool;
  const limits = { maxConcurrent: MAX_CONCURRENT, maxQueued: MAX_QUEUED };
  const upstream = createUpstream({ service: 'user-pool', ...limits, clock, log, metrics });

  return (AccessToken) => {
    const call = async (operation: string, input: object, isRepeatable: boolean): Promise<unknown> => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const attempt = () => callUserPool(endpoint, operation, { AccessToken, ...input }, signal);
      // After a failure, a change may have been made: it is not sent again.
      const isRetryable = isRepeatable ? undefined : () => false;
      return upstream.call(attempt, { signal, isRetryable, logFields: { operation } });
    };
    const run = async (operation: string, input: object = {}, isRepeatable = false): Promise<unknown> => {
      try {
        return await call(operation, input, isRepeatable);
      } catch (error) {
        throw toAccountError(error, operation, log);
      }
    };
    const getUser = async (): Promise<AccountUser> => {
      const { data } = userResponse.safeParse(await run('GetUser', {}, true));
      if (!data) throw new AccountError('unavailable');
      const attributes = data.UserAttributes.map(({ Name, Value }) => [Name, Value]);
      return { username: data.Username, attributes: Object.fromEntries(attributes) };
    };

    return {
      getUser,
      async updateName(name) {
        await run('UpdateUserAttributes', { UserAttributes: [{ Name: 'name', Value: name.trim() }] });
      },
      async changePassword({ previous, proposed }) {
        const input = { PreviousPassword: previous, ProposedPassword: proposed };
        try {
          await run('ChangePassword', input);
        } catch (error) {
          throw await explainRejectedPassword(error, getUser);
        }
      },
      async deleteUser() {
        await run('DeleteUser').catch((error: unknown) => {
          if (codeOf(error) !== 'UserNotFoundException') throw error;
        });
      },
    };
  };
}

/**
 * Cognito rejects a wrong password and a token that is no longer valid with one exception, and documents none of its
 * messages. A token that still reads the user is valid. What is wrong with the form of a password is about the new one.
 */
async function explainRejectedPassword(error: unknown, getUser: () => Promise<unknown>): Promise<unknown> {
  switch (codeOf(error)) {
    case 'InvalidParameterException':
      return new AccountError('password-policy', error);
    case 'NotAuthorizedException':
      return getUser().then(
        () => new AccountError('wrong-password', error),
        (reason: unknown) => reason,
      );
    default:
      return error;
  }
}

/** The error code of the user pool behind an `AccountError`. */
function codeOf(error: unknown): string | null {
  const cause = error instanceof AccountError ? error.cause : null;
  return cause instanceof UpstreamError ? cause.code : null;
}

function toAccountError(error: unknown, operation: string, log: Log): AccountError {
  const code = error instanceof UpstreamError ? CODES.get(error.code) : undefined;
  if (code === undefined) log.error({ err: error, operation }, 'an operation on an account failed');
  return new AccountError(code ?? 'unavailable', error);
}
