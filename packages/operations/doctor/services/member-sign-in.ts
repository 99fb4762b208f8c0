/**
 * Signs a member in with the user pools API and the Secure Remote Password protocol (RFC 5054), which is the only flow
 * that the app client allows besides the hosted login. The password is not sent.
 */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Env } from '../../../../app/server/config/env.ts';
import { parseAwsError } from '../../../../app/server/resilience/upstream-response.ts';
import { FindingError, notChecked, problem } from '../findings/finding.ts';
import type { Service } from './service.ts';

type UserPoolEnv = Env['userPool'];

export type Member = { email: string; password: string };
export type MemberTokens = { idToken: string; accessToken: string; refreshToken: string };

/** The group of 3,072 bits of RFC 3526 section 4 (number 15), with the generator 2. */
const PRIME = BigInt(
  '0xFFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA051015728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200CBBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF',
);
const GENERATOR = 2n;

const challengeSchema = z.object({
  ChallengeName: z.string(),
  Session: z.string().optional(),
  ChallengeParameters: z.record(z.string(), z.string()),
});
const tokensSchema = z.object({
  AuthenticationResult: z.object({
    IdToken: z.string(),
    AccessToken: z.string(),
    RefreshToken: z.string().default(''),
  }),
});

/**
 * Returns the tokens of the member. Throws a `FindingError` when the user pool rejects the sign-in, or asks for more than
 * the password.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-authentication-flow-methods.html
 */
export async function signInMember(
  pool: UserPoolEnv,
  { email, password }: Member,
  service: Service,
  signal: AbortSignal,
): Promise<MemberTokens> {
  const send = (operation: string, input: object) =>
    callUserPools(pool, service, { operation, input }, signal);
  const secret = BigInt(`0x${randomBytes(128).toString('hex')}`);
  const publicValue = power(GENERATOR, secret);
  const challenge = challengeSchema.parse(
    await send('InitiateAuth', {
      ClientId: pool.clientId,
      AuthFlow: 'USER_SRP_AUTH',
      AuthParameters: {
        USERNAME: email,
        SRP_A: publicValue.toString(16),
        ...secretHash(pool, email),
      },
    }),
  );
  requirePasswordChallenge(challenge.ChallengeName, 'PASSWORD_VERIFIER');
  const { SALT = '', SRP_B = '', SECRET_BLOCK = '', USER_ID_FOR_SRP = '' } = challenge.ChallengeParameters;
  const poolName = pool.id.split('_')[1] ?? '';
  const key = passwordKey(
    { secret, publicValue, serverValue: BigInt(`0x${SRP_B}`), salt: BigInt(`0x${SALT}`) },
    `${poolName}${USER_ID_FOR_SRP}:${password}`,
  );
  const timestamp = formatTimestamp(new Date(Date.now() + (service.clockOffset() ?? 0)));
  const signature = createHmac('sha256', key)
    .update(poolName + USER_ID_FOR_SRP)
    .update(Buffer.from(SECRET_BLOCK, 'base64'))
    .update(timestamp)
    .digest('base64');
  const response = await send('RespondToAuthChallenge', {
    ClientId: pool.clientId,
    ChallengeName: 'PASSWORD_VERIFIER',
    ...(challenge.Session === undefined ? {} : { Session: challenge.Session }),
    ChallengeResponses: {
      USERNAME: USER_ID_FOR_SRP,
      PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK,
      PASSWORD_CLAIM_SIGNATURE: signature,
      TIMESTAMP: timestamp,
      ...secretHash(pool, USER_ID_FOR_SRP),
    },
  });
  const next = challengeSchema.safeParse(response).data?.ChallengeName;
  if (next !== undefined) requirePasswordChallenge(next, null);
  const { IdToken, AccessToken, RefreshToken } = tokensSchema.parse(response).AuthenticationResult;
  return { idToken: IdToken, accessToken: AccessToken, refreshToken: RefreshToken };
}

/** Revokes the refresh token of the sign-in. If that fails, the token stays valid, but no one has a copy of it. */
export async function signOutMember(
  pool: UserPoolEnv,
  { refreshToken }: MemberTokens,
  service: Service,
  signal: AbortSignal,
): Promise<void> {
  const input = {
    ClientId: pool.clientId,
    Token: refreshToken,
    ...(pool.clientSecret === null ? {} : { ClientSecret: pool.clientSecret }),
  };
  await callUserPools(pool, service, { operation: 'RevokeToken', input }, signal).catch(() => {});
}

async function callUserPools(
  { endpoint }: UserPoolEnv,
  service: Service,
  { operation, input }: { operation: string; input: object },
  signal: AbortSignal,
): Promise<unknown> {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
  };
  const body = JSON.stringify(input);
  const reply = await service.send(`${endpoint}/`, { method: 'POST', headers, body }, signal);
  if (reply.status === 200) return reply.json;
  const { code } = parseAwsError(reply, reply.json);
  throw new FindingError(problem('member-sign-in-failed', { reason: code }));
}

function requirePasswordChallenge(name: string, expected: string | null): void {
  if (name === expected) return;
  throw new FindingError(
    notChecked(
      `The user pool asks the test member for more than a password (${name}). Use a member without it.`,
    ),
  );
}

/** AWS, "Computing secret hash values". */
function secretHash({ clientId, clientSecret }: UserPoolEnv, userName: string): { SECRET_HASH?: string } {
  if (clientSecret === null) return {};
  const SECRET_HASH = createHmac('sha256', clientSecret)
    .update(userName + clientId)
    .digest('base64');
  return { SECRET_HASH };
}

type Exchange = { secret: bigint; publicValue: bigint; serverValue: bigint; salt: bigint };

/** The key of 16 bytes that proves the password (RFC 5054 section 2.6, RFC 5869). */
function passwordKey({ secret, publicValue, serverValue, salt }: Exchange, identity: string): Buffer {
  const multiplier = hashNumbers(PRIME, GENERATOR);
  const scrambler = hashNumbers(publicValue, serverValue);
  const identityHash = createHash('sha256').update(identity).digest();
  const exponent = toNumber(createHash('sha256').update(padded(salt)).update(identityHash).digest());
  const base = (serverValue - ((multiplier * power(GENERATOR, exponent)) % PRIME) + PRIME) % PRIME;
  const shared = power(base, secret + scrambler * exponent);
  const key = hkdfSync('sha256', padded(shared), padded(scrambler), 'Caldera Derived Key', 16);
  return Buffer.from(key);
}

function hashNumbers(first: bigint, second: bigint): bigint {
  return toNumber(createHash('sha256').update(padded(first)).update(padded(second)).digest());
}

/** The bytes of a number as Cognito hashes them: with a leading zero byte if the first bit is set. */
function padded(value: bigint): Buffer {
  const digits = value.toString(16);
  const even = digits.length % 2 === 1 ? `0${digits}` : digits;
  return Buffer.from(/^[89a-f]/.test(even) ? `00${even}` : even, 'hex');
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

/** `base ** exponent` modulo the prime. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base % PRIME;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % PRIME;
    factor = (factor * factor) % PRIME;
  }
  return result;
}

/** The form that Cognito expects, such as `Tue Nov 3 08:05:00 UTC 2026`. */
function formatTimestamp(date: Date): string {
  const [, weekday, day, month, year, time] =
    /^(\w+), 0?(\d+) (\w+) (\d+) ([\d:]+) GMT$/.exec(date.toUTCString()) ?? [];
  return `${weekday} ${month} ${day} ${time} UTC ${year}`;
}
