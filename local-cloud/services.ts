import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type MessageStore, openMessageStore } from './appsync/message-store.ts';
import type { Faults } from './control/faults.ts';
import type { HostedLogin } from './hosted-login/page-handler.ts';
import { createVisitorMemory } from './hosted-login/visitor-memory.ts';
import { createAttemptLimit } from './http/attempt-limit.ts';
import type { Clock } from './http/exchange.ts';
import { createAccessKeys } from './identity-pool/access-keys.ts';
import { type Identities, openIdentities } from './identity-pool/identities.ts';
import { createAuthorizationCodes } from './oauth/authorization-codes.ts';
import { openBrowserSessions } from './oauth/browser-sessions.ts';
import type { Store } from './storage/store.ts';
import { openGrants } from './user-pool/grants.ts';
import {
  type OnSecret,
  tellingAccessKeys,
  tellingCodes,
  tellingGrants,
  tellingTokens,
} from './user-pool/issued-secrets.ts';
import { type Keys, openKeys } from './user-pool/keys.ts';
import { type Mail, openOutbox } from './user-pool/outbox.ts';
import { createTokens, type Tokens } from './user-pool/tokens.ts';
import { openUserPool, REGION } from './user-pool/user-pool.ts';
import { openUsers } from './user-pool/users.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Everything that the local cloud's addresses are answered from. */
export type Services = HostedLogin & {
  origin: string;
  clock: Clock;
  keys: Keys;
  tokens: Tokens;
  grants: ReturnType<typeof openGrants>;
  identityPool: { id: string; identities: Identities; accessKeys: ReturnType<typeof createAccessKeys> };
  messages: MessageStore;
  faults: Faults;
  onSecret: OnSecret;
  /** Forgets what visitors made: users, sessions, mails, identities, messages. */
  reset(): void;
};

export type ServicesDependencies = {
  store: Store;
  origin: string;
  clock: Clock;
  faults: Faults;
  onMail: (mail: Mail) => void;
  onSecret: OnSecret;
  /** Lifetime of AWS credentials. */
  credentialsSeconds: number;
};

/** Opens all of the local cloud's state. Throws when what an earlier run left cannot be read. */
export async function openServices(dependencies: ServicesDependencies): Promise<Services> {
  const { store, origin, clock, faults, onMail, onSecret, credentialsSeconds } = dependencies;
  const userPool = openUserPool(store, origin);
  const keys = await openKeys(store);
  const graceMs = () => faults.settings.rotationGraceSeconds * 1000;
  const grants = tellingGrants(openGrants(store, { clock, graceMs }), onSecret);
  const codes = tellingCodes(createAuthorizationCodes({ clock, revokeGrant: grants.revoke }), onSecret);
  const memory = createVisitorMemory({ clock });
  const limits = openLimits(clock);
  return {
    origin,
    clock,
    userPool,
    keys,
    grants,
    codes,
    memory,
    limits,
    faults,
    onSecret,
    users: openUsers(store, { clock }),
    outbox: openOutbox(store, { clock, onMail }),
    browserSessions: openBrowserSessions(store, { clock }),
    tokens: tellingTokens(
      createTokens({
        keys,
        userPool,
        clock,
        lifetime: () => faults.settings.tokenSeconds,
        isRevoked: grants.isRevoked,
      }),
      onSecret,
    ),
    identityPool: {
      id: openIdentityPoolId(store),
      identities: openIdentities(store, REGION),
      accessKeys: tellingAccessKeys(createAccessKeys({ clock, seconds: credentialsSeconds }), onSecret),
    },
    messages: openMessageStore(store, clock),
    reset() {
      store.reset();
      codes.clear();
      memory.clear();
      for (const limit of Object.values(limits)) limit.clear();
    },
  };
}

/** https://docs.aws.amazon.com/cognito/latest/developerguide/limits.html */
function openLimits(clock: Clock): HostedLogin['limits'] {
  return {
    signIn: createAttemptLimit({ clock, max: 10, windowMs: HOUR_MS / 4 }),
    signUp: createAttemptLimit({ clock, max: 5, windowMs: HOUR_MS }),
    resend: createAttemptLimit({ clock, max: 5, windowMs: HOUR_MS }),
    code: createAttemptLimit({ clock, max: 15, windowMs: HOUR_MS }),
  };
}

function openIdentityPoolId(store: Store): string {
  const { value } = store.section({
    name: 'identityPool',
    schema: z.object({ id: z.string() }),
    initial: () => ({ id: `${REGION}:${randomUUID()}` }),
    outlivesReset: true,
  });
  return value.id;
}
