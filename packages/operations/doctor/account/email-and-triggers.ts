/** What the user pool needs from other services: SES for its codes, and Lambda for its triggers. */
import type { UserPoolType } from '@aws-sdk/client-cognito-identity-provider';
import { z } from 'zod';
import { type Finding, ok, problem } from '../findings/finding.ts';
import type { OperatorOptions } from './operator-calls.ts';
import { callService } from './signed-call.ts';
import { triggersOf } from './user-pool-settings.ts';

const sesAccount = z.object({
  ProductionAccessEnabled: z.boolean().optional(),
  SendingEnabled: z.boolean().optional(),
  SendQuota: z.object({ Max24HourSend: z.number(), SentLast24Hours: z.number() }).partial().optional(),
});
const sesIdentity = z.object({ VerifiedForSendingStatus: z.boolean().optional() });
const functionPolicy = z.object({ Policy: z.string() });

/**
 * Whether SES sends codes to everybody. `arn` is that of the identity: arn:aws:ses:{region}:{account}:identity/{name}.
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
 */
export async function checkEmail(
  pool: UserPoolType,
  options: OperatorOptions,
  signal: AbortSignal,
): Promise<Finding | Finding[]> {
  const arn = pool.EmailConfiguration?.SourceArn ?? '';
  const [, region, name] = /^arn:[^:]+:ses:([^:]+):\d+:identity\/(.+)$/.exec(arn) ?? [];
  if (region === undefined || name === undefined) return ok('Cognito sends the codes itself.');
  const read = (path: string, permission: string) =>
    callService({ service: 'ses', host: 'email', region, path }, permission, options, signal);
  const account = sesAccount.safeParse(await read('/v2/email/account', 'ses:GetAccount')).data ?? {};
  const path = `/v2/email/identities/${encodeURIComponent(name)}`;
  const identity = sesIdentity.safeParse(await read(path, 'ses:GetEmailIdentity')).data;
  const { Max24HourSend = -1, SentLast24Hours = 0 } = account.SendQuota ?? {};
  const found = [
    identity?.VerifiedForSendingStatus !== true && problem('ses-identity-not-verified', { name, region }),
    account.ProductionAccessEnabled === false && problem('ses-sandbox', { region }),
    account.SendingEnabled === false && problem('ses-sending-paused', { region }),
    Max24HourSend >= 0 &&
      SentLast24Hours >= Max24HourSend &&
      problem('ses-quota-used-up', { limit: Max24HourSend, region }),
  ].filter((finding) => finding !== false);
  return found.length > 0 ? found : ok(`SES sends the codes with the identity ${name}.`);
}

/**
 * Whether Cognito may call each function of the user pool. Without permission, the sign-up or sign-in fails.
 * https://docs.aws.amazon.com/lambda/latest/api/API_GetPolicy.html
 */
export async function checkTriggers(
  pool: UserPoolType,
  options: OperatorOptions,
  signal: AbortSignal,
): Promise<Finding | Finding[]> {
  const found: Finding[] = [];
  const triggers = triggersOf(pool);
  for (const { trigger, arn } of triggers) {
    const [, region = '', name = ''] = /^arn:[^:]+:lambda:([^:]+):\d+:function:(.+)$/.exec(arn) ?? [];
    const path = `/2015-03-31/functions/${encodeURIComponent(arn)}/policy`;
    const response = await callService(
      { service: 'lambda', region, path },
      'lambda:GetPolicy',
      options,
      signal,
    );
    const policy = functionPolicy.safeParse(response).data?.Policy ?? '';
    if (!policy.includes('cognito-idp.amazonaws.com')) {
      found.push(problem('trigger-not-callable', { trigger, name }));
    }
  }
  if (found.length > 0) return found;
  return ok(triggers.length === 0 ? 'The user pool has no triggers.' : 'Cognito may call all triggers.');
}
