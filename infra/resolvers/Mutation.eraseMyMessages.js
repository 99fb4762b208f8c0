/**
 * Erases some of the caller's messages and returns how many. Repeating it is safe: each call looks for those that are left,
 * and deletes what it finds.
 */
import { util } from '@aws-appsync/utils';

/** @param {import('@aws-appsync/utils').Context} ctx */
export function request(ctx) {
  const sub = callerSub(ctx);
  if (!sub) util.unauthorized();
  ctx.stash.sub = sub;
  return {};
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  return ctx.stash.keys.length;
}

/**
 * Returns the user who calls, or undefined for guests and for other signers. User pool tokens provide `sub`. With IAM,
 * the provider of a user's credentials ends in `:CognitoSignIn:{sub}`, possibly in quotation marks. AppSync deploys each
 * resolver as one file, so every resolver has this function. A test compares the copies.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {string | undefined}
 */
function callerSub(ctx) {
  // The type of `identity` does not distinguish the two authorization modes.
  const identity = /** @type {{ sub?: string, cognitoIdentityAuthProvider?: string }} */ (ctx.identity ?? {});
  return identity.sub ?? identity.cognitoIdentityAuthProvider?.split(':CognitoSignIn:')[1]?.split('"')[0];
}
