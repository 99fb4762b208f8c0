import type { Env } from '../../../../app/server/config/env.ts';
import type { IdentityPool, IssuedCredentials } from '../../../../app/server/identity/identity-pool.ts';

/** A guest of the identity pool. Every run of the doctor creates at most one. */
export type Guest = {
  /**
   * Returns the credentials of the guest, or null if the configuration allows no guests. The first call creates the
   * guest. Rejects with an `UpstreamError`; every further call has the same result.
   */
  credentials(): Promise<IssuedCredentials | null>;
};

/** Creates a guest at the first use, within `timeoutMs`. `onSecret` is called with the parts of its credentials. */
export function createGuest(
  { identityPool: { allowGuests } }: Pick<Env, 'identityPool'>,
  pool: IdentityPool,
  { timeoutMs, onSecret }: { timeoutMs: number; onSecret: (value: string) => void },
): Guest {
  const request = async (): Promise<IssuedCredentials | null> => {
    if (!allowGuests) return null;
    const signal = AbortSignal.timeout(timeoutMs);
    const issued = await pool.getCredentials(await pool.getId(null, signal), null, signal);
    for (const value of Object.values(issued.credentials)) onSecret(value);
    return issued;
  };
  let requested: ReturnType<typeof request> | undefined;
  return {
    credentials() {
      requested ??= request();
      return requested;
    },
  };
}
