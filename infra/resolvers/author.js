/** Who calls a resolver, and the name under which others see the author of a message. */

/**
 * Returns the user who calls, or undefined for guests and for other signers. User pool tokens provide `sub`. With IAM,
 * the provider of a user's credentials ends in `:CognitoSignIn:{sub}`, possibly in quotation marks.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {string | undefined}
 */
export function callerSub(ctx) {
  // The type of `identity` does not distinguish the two authorization modes.
  const identity = /** @type {{ sub?: string, cognitoIdentityAuthProvider?: string }} */ (ctx.identity ?? {});
  return identity.sub ?? identity.cognitoIdentityAuthProvider?.split(':CognitoSignIn:')[1]?.split('"')[0];
}

/**
 * Returns the pseudonym of an author: a hash of the sub with 20 bits, as four characters of Crockford's base 32. The 122
 * random bits of a sub cannot be recovered from it. APPSYNC_JS has no cryptographic hash.
 * @param {string} sub
 * @returns {string}
 */
export function pseudonymOf(sub) {
  let hash = 0;
  // The second pass spreads the last characters of the sub over all bits.
  for (const character of (sub + sub).split('')) {
    // The greatest prime below 2^32, and a factor that keeps the product below 2^53, so that it is exact.
    hash = (hash * 65599 + '0123456789abcdef'.indexOf(character) + 1) % 4294967291;
  }
  const code = Math.floor(hash / 4096);
  const places = [32768, 1024, 32, 1];
  return places
    .map((place) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt(Math.floor(code / place) % 32))
    .join('');
}
