import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Faults } from './control/faults.ts';
import { type DynamoDb, openDynamoDb } from './dynamodb/dynamodb.ts';
import { createAttemptLimits } from './hosted-login/attempt-limits.ts';
import { type Email, openOutbox } from './hosted-login/outbox.ts';
import type { HostedLoginDeps } from './hosted-login/page-handler.ts';
import { createVisitorStates } from './hosted-login/visitor-state.ts';
import type { Clock } from './http/exchange.ts';
import { type AccessKeys, createAccessKeys } from './identity-pool/access-keys.ts';
import { type Identities, openIdentities } from './identity-pool/identities.ts';
import {
  type OnSecret,
  reportAccessKeys,
  reportCodes,
  reportRefreshTokens,
  reportTokens,
} from './issued-secrets.ts';
import { createAuthorizationCodes } from './oauth/authorization-codes.ts';
import { openBrowserSessions } from './oauth/browser-sessions.ts';
import type { Store } from './storage/store.ts';
import { type Grants, openGrants } from './user-pool/grants.ts';
import { generateKey, takeKey } from './user-pool/key-supply.ts';
import { type Keys, openKeys } from './user-pool/keys.ts';
import { createTokens, type Tokens } from './user-pool/tokens.ts';
import { openUserPool, REGION } from './user-pool/user-pool.ts';
import { openUsers } from './user-pool/users.ts';

/** The state and the services behind the routes. */
export type Services = HostedLoginDeps & {
  origin: string;
  clock: Clock;
  keys: Keys;
  tokens: Tokens;
  grants: Grants;
  identityPool: { id: string; identities: Identities; accessKeys: AccessKeys };
  dynamoDb: DynamoDb;
  faults: Faults;
  onSecret: OnSecret;
  /** Deletes users, sessions, emails, identities and messages. */
  reset(): Promise<void>;
};

export type ServicesDeps = {
  store: Store;
  /** The folder for the state, or null to keep it in memory. */
  directory: string | null;
  origin: string;
  clock: Clock;
  faults: Faults;
  /** The name of the site, or null. */
  siteName: string | null;
  onEmail: (email: Email) => void;
  onSecret: OnSecret;
  /** The lifetime of AWS credentials. */
  credentialsSeconds: number;
};

/**
 * Opens all services of the local cloud with their stored state. Rejects when another process uses the folder, or when
 * the stored state is not valid.
 */
export async function openServices(deps: ServicesDeps): Promise<Services> {
  // Opened first, so that nothing is written to a folder that another process uses.
  const dynamoDb = await openDynamoDb(deps.directory);
  try {
    return await createServices(deps, dynamoDb);
  } catch (error) {
    await dynamoDb.close();
    throw error;
  }
}

async function createServices(deps: ServicesDeps, dynamoDb: DynamoDb): Promise<Services> {
  const { store, origin, clock, faults, onSecret } = deps;
  const userPool = openUserPool(store, origin, () => faults.settings.requirePkce, deps.siteName);
  const keys = await openKeys(store, deps.directory === null ? takeKey : generateKey);
  const graceMs = () => faults.settings.rotationGraceSeconds * 1000;
  const grants = reportRefreshTokens(openGrants(store, { clock, graceMs }), onSecret);
  const lifetime = () => faults.settings.tokenSeconds;
  const tokens = createTokens({ keys, userPool, clock, lifetime, isRevoked: grants.isRevoked });
  const users = openUsers(store, { clock });
  const hostedLogin: HostedLoginDeps = {
    userPool,
    users,
    outbox: openOutbox(store, { clock, onEmail: deps.onEmail }),
    codes: reportCodes(createAuthorizationCodes({ clock, revokeGrant: grants.revoke }), onSecret),
    browserSessions: openBrowserSessions(store, {
      clock,
      isEnabled: (sub) => users.findBySub(sub)?.enabled !== false,
    }),
    visitorStates: createVisitorStates({ clock }),
    limits: createAttemptLimits(clock),
  };
  return {
    ...hostedLogin,
    origin,
    clock,
    keys,
    grants,
    faults,
    onSecret,
    tokens: reportTokens(tokens, onSecret),
    identityPool: openIdentityPool(deps),
    dynamoDb,
    async reset() {
      store.reset();
      clearMemory(hostedLogin);
      await dynamoDb.reset();
    },
  };
}

/** Deletes the state that is never written to the store. */
function clearMemory({ codes, visitorStates, limits }: HostedLoginDeps): void {
  codes.clear();
  visitorStates.clear();
  for (const limit of Object.values(limits)) limit.clear();
}

function openIdentityPool({
  store,
  clock,
  credentialsSeconds,
  onSecret,
}: ServicesDeps): Services['identityPool'] {
  const { value } = store.section({
    name: 'identityPool',
    schema: z.object({ id: z.string() }),
    initial: () => ({ id: `${REGION}:${randomUUID()}` }),
    survivesReset: true,
  });
  return {
    id: value.id,
    identities: openIdentities(store, REGION),
    accessKeys: reportAccessKeys(createAccessKeys({ clock, seconds: credentialsSeconds }), onSecret),
  };
}
