import { expect, it } from 'vitest';
import { explainRefreshFailure, isRefreshTokenRejected } from '../../src/user-pool/refresh-rejection.ts';

it.each(['NotAuthorizedException', 'ResourceNotFoundException'])(
  'an error with the code %s that does not come from the user pool neither ends a session nor is explained',
  async (code) => {
    const error = Object.assign(new Error('from another library'), { code });
    expect(isRefreshTokenRejected(error)).toBe(false);
    expect(await explainRefreshFailure(error, async () => false)).toBe(error);
  },
);
