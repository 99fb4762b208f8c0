/** What the change of a parameter of `infra/template.yaml` on a live stack loses or interrupts. */
import type { Parameter } from '@aws-sdk/client-cloudformation';

export type ParameterEffect = {
  /** One or two sentences. */
  text: string;
  /** Whether something that visitors use stops. */
  isInterruption: boolean;
};

type Describe = (after: string, before: string) => ParameterEffect | null;

const NOT_SET = 'none';

const effects: Readonly<Record<string, Describe>> = {
  Origins(after, before) {
    const origins = after.split(',');
    const removed = before.split(',').filter((origin) => !origins.includes(origin));
    if (removed.length === 0) return null;
    const text = `Nobody can sign in at ${removed.join(', ')} any more.`;
    // A site on the developer's own machine has no visitors.
    return { text, isInterruption: removed.some((origin) => !origin.startsWith('http://localhost')) };
  },
  CustomDomain(after, before) {
    if (before !== NOT_SET) {
      return interruption(
        `Sites whose COGNITO_DOMAIN is https://${before} cannot sign anybody in. Set it to the output HostedLoginPrefixDomain first.`,
      );
    }
    return note(
      `The hosted login keeps its present address too. Sites use ${after} after npm run aws:env, so wait until it responds, up to an hour after its DNS record is created.`,
    );
  },
  CertificateId: (after, before) =>
    after === NOT_SET || before === NOT_SET
      ? null
      : note('It can take up to an hour until the custom domain uses the new certificate.'),
  Guests: (after) =>
    after === 'true'
      ? null
      : interruption(
          'Visitors who are not signed in get no identity, and sites with COGNITO_ALLOW_GUESTS=true answer them with errors until npm run aws:env.',
        ),
  EmailIdentity: (after) =>
    note(
      after === NOT_SET
        ? 'Cognito sends the codes again, at most about 50 a day.'
        : 'As long as the account is in the SES sandbox, only verified addresses get codes.',
    ),
  LogRetentionDays: (after, before) =>
    Number(after) < Number(before) ? note(`AWS deletes the logs that are older than ${after} days.`) : null,
  DeletionProtection: (after) =>
    after === 'true' ? null : note('AWS no longer refuses to delete the stack, the user pool and the table.'),
  RestoredTable: (after, before) =>
    note(
      `Members see the messages of ${after === NOT_SET ? "the stack's own table" : `the table ${after}`}. Calls of the API may fail for some seconds. Messages that are only in ${before === NOT_SET ? "the stack's own table" : `the table ${before}`} stay there.`,
    ),
  Totp: (after) =>
    after === 'true' ? null : note('Members who have a second factor sign in with their password alone.'),
  ThreatProtection: (after, before) =>
    before === 'enforced' ? note(`Cognito no longer rejects risky sign-ins (${after}).`) : null,
  Firewall: (after) => (after === 'true' ? null : note('Nothing limits the rate of requests any more.')),
  AlarmEmail: (after, before) =>
    before === NOT_SET
      ? null
      : note(
          after === NOT_SET
            ? 'The alarms are deleted.'
            : `Nobody gets alarms until ${after} confirms the subscription.`,
        ),
  MonthlyBudget: (after) => (after === '0' ? note('The budget is deleted.') : null),
  SiteServer: (after) =>
    after === NOT_SET
      ? interruption(
          'Nobody reaches the site while the DNS record of its origin leads to CloudFront. Change the record first.',
        )
      : note('The DNS record of the main origin has to lead to the output DistributionDomain.'),
  PermissionsBoundary: (after) =>
    after === NOT_SET ? null : note(`Members and the API can do only what the policy ${after} allows too.`),
};

/** The effects of the parameters whose values differ from the deployed ones. A new stack has no deployed values. */
export function describeEffects(
  given: readonly Parameter[],
  deployed: readonly Parameter[],
): ParameterEffect[] {
  const before = new Map(deployed.map(({ ParameterKey, ParameterValue }) => [ParameterKey, ParameterValue]));
  return given.flatMap(({ ParameterKey = '', ParameterValue: after }) => {
    const old = before.get(ParameterKey);
    if (after === undefined || old === undefined || old === after) return [];
    return effects[ParameterKey]?.(after, old) ?? [];
  });
}

function interruption(text: string): ParameterEffect {
  return { text, isInterruption: true };
}

function note(text: string): ParameterEffect {
  return { text, isInterruption: false };
}
