/** Assesses the settings of the user pool. Pure: the caller fetches them. */
import type { UserPoolClientType, UserPoolType } from '@aws-sdk/client-cognito-identity-provider';
import { type Finding, problem } from '../findings/finding.ts';

/**
 * Returns the problems of a user pool.
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_UserPoolType.html
 */
export function assessUserPool(pool: UserPoolType): Finding[] {
  const { AutoVerifiedAttributes = [], UsernameAttributes = [], AliasAttributes = [] } = pool;
  const recovery = pool.AccountRecoverySetting?.RecoveryMechanisms ?? [];
  const signsInByEmail = [...UsernameAttributes, ...AliasAttributes].includes('email');
  return [
    pool.AdminCreateUserConfig?.AllowAdminCreateUserOnly === true && problem('sign-up-disabled', {}),
    !signsInByEmail && problem('pool-without-email-sign-in', {}),
    !AutoVerifiedAttributes.includes('email') && problem('pool-email-not-verified', {}),
    recovery.length > 0 &&
      !recovery.some(({ Name }) => Name === 'verified_email') &&
      problem('pool-recovery-off', {}),
    pool.UsernameConfiguration?.CaseSensitive !== false && problem('pool-case-sensitive', {}),
    pool.UserPoolTier === 'LITE' && problem('pool-feature-plan', {}),
    pool.DeletionProtection !== 'ACTIVE' && problem('pool-deletion-protection-off', {}),
    pool.EmailConfiguration?.EmailSendingAccount !== 'DEVELOPER' && problem('email-daily-limit', {}),
  ].filter((finding) => finding !== false);
}

/** Returns a problem if the app client may not write an attribute that a sign-up must fill in. */
export function assessRequiredAttributes(pool: UserPoolType, client: UserPoolClientType): Finding[] {
  const { WriteAttributes = [] } = client;
  const required = (pool.SchemaAttributes ?? []).flatMap(({ Name, Required, Mutable }) =>
    Required === true && Mutable !== false && Name !== undefined ? [Name] : [],
  );
  const missing = required.filter((name) => !WriteAttributes.includes(name));
  return WriteAttributes.length > 0 && missing.length > 0
    ? [problem('client-write-attributes', { attributes: missing.join(', ') })]
    : [];
}

/** The functions that the user pool calls, by trigger. */
export function triggersOf({ LambdaConfig = {} }: UserPoolType): { trigger: string; arn: string }[] {
  return Object.entries(LambdaConfig).flatMap(([trigger, value]) => {
    const arn = typeof value === 'string' ? value : (value as { LambdaArn?: string } | undefined)?.LambdaArn;
    return arn?.startsWith('arn:') && arn.includes(':function:') ? [{ trigger, arn }] : [];
  });
}
