/**
 * Erases some of the caller's records, of all types, and returns how many. Repeating it is safe: each call looks for
 * those that are left, and deletes what it finds.
 */
import { util } from '@aws-appsync/utils';
import { callerSub } from './author.js';

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
