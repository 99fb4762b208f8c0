/**
 * The user pools API with the sign-in by Secure Remote Password (RFC 5054), which the local cloud does not have. All other
 * operations go to the local cloud.
 */
import { createHash, createHmac, getDiffieHellman, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../../../../tests/support/http/loopback-server.ts';

type Options = {
  /** Where the other operations go. */
  endpoint: string;
  /** The id of the user pool after the underscore. */
  poolName: string;
  user: { email: string; password: string; sub: string };
  tokens: { idToken: string; accessToken: string; refreshToken: string };
  /** A challenge after the password, such as `SOFTWARE_TOKEN_MFA`. */
  nextChallenge?: string;
};

export type SrpUserPool = { origin: string; revoked: string[]; close(): Promise<void> };

/** The group of 3,072 bits of RFC 3526. */
const PRIME = toNumber(getDiffieHellman('modp15').getPrime());
const SALT = '8f0e6d3ba17c52940b9d6a3f7e21c584';

/** Starts the API on a free port. */
export async function startSrpUserPool(options: Options): Promise<SrpUserPool> {
  const revoked: string[] = [];
  const secret = BigInt(`0x${randomBytes(64).toString('hex')}`);
  const block = randomBytes(300);
  let publicValue = 0n;
  const { user, poolName, tokens } = options;
  const exponent = toNumber(
    sha256(bytesOf(BigInt(`0x${SALT}`)), sha256(`${poolName}${user.sub}:${user.password}`)),
  );
  const verifier = power(2n, exponent);
  const multiplier = toNumber(sha256(bytesOf(PRIME), bytesOf(2n)));
  const serverValue = (multiplier * verifier + power(2n, secret)) % PRIME;

  const answer = (operation: string, input: Record<string, Record<string, string>>): [number, unknown] => {
    if (operation === 'InitiateAuth') {
      publicValue = BigInt(`0x${input.AuthParameters?.SRP_A}`);
      const parameters = {
        SALT,
        SRP_B: serverValue.toString(16),
        SECRET_BLOCK: block.toString('base64'),
        USER_ID_FOR_SRP: user.sub,
      };
      return [200, { ChallengeName: 'PASSWORD_VERIFIER', ChallengeParameters: parameters }];
    }
    const { PASSWORD_CLAIM_SIGNATURE, TIMESTAMP = '' } = input.ChallengeResponses ?? {};
    const scrambler = toNumber(sha256(bytesOf(publicValue), bytesOf(serverValue)));
    const shared = power((publicValue * power(verifier, scrambler)) % PRIME, secret);
    const key = hkdfSync('sha256', bytesOf(shared), bytesOf(scrambler), 'Caldera Derived Key', 16);
    const expected = createHmac('sha256', Buffer.from(key))
      .update(Buffer.concat([Buffer.from(poolName + user.sub), block, Buffer.from(TIMESTAMP)]))
      .digest('base64');
    const isTimely = /^\w{3} \w{3} [1-9]\d? \d\d:\d\d:\d\d UTC \d{4}$/.test(TIMESTAMP);
    if (PASSWORD_CLAIM_SIGNATURE !== expected || !isTimely) {
      return [400, { __type: 'NotAuthorizedException', message: 'Incorrect username or password.' }];
    }
    if (options.nextChallenge !== undefined) {
      return [200, { ChallengeName: options.nextChallenge, ChallengeParameters: {} }];
    }
    const { idToken: IdToken, accessToken: AccessToken, refreshToken: RefreshToken } = tokens;
    return [200, { AuthenticationResult: { IdToken, AccessToken, RefreshToken } }];
  };

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const input = JSON.parse(body);
    const isSrp = input.AuthFlow === 'USER_SRP_AUTH' || operation === 'RespondToAuthChallenge';
    if (operation === 'RevokeToken') revoked.push(input.Token);
    const [status, result] = isSrp
      ? answer(operation, input)
      : operation === 'RevokeToken'
        ? [200, {}]
        : await forward(options.endpoint, String(request.headers['x-amz-target']), body);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(result));
  });
  return { origin: await listenOnLoopback(server), revoked, close: () => closeServer(server) };
}

async function forward(endpoint: string, target: string, body: string): Promise<[number, unknown]> {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  const response = await fetch(endpoint, { method: 'POST', headers, body });
  return [response.status, await response.json()];
}

function sha256(...parts: (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The bytes of a positive number in two's complement, as Java's `BigInteger.toByteArray` returns them. */
function bytesOf(value: bigint): Buffer {
  const length = Math.floor(value.toString(2).length / 8) + 1;
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % PRIME;
    if (bit === '1') result = (result * base) % PRIME;
  }
  return result;
}
