/** Explains a failed operation from the events of its stack. */
import type { StackEvent } from '@aws-sdk/client-cloudformation';
import { isOfStack } from './stack-events.ts';

/** What to do about reasons that AWS gives. The first match counts. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /already has a domain/i,
    'A user pool has one domain in amazoncognito.com and one custom domain, and neither can be replaced in one step.',
  ],
  [
    /Domain already (?:associated|exists)|domain.*already/i,
    'Another user pool has this domain. Choose another one with --domain-prefix or --custom-domain.',
  ],
  [
    /not a valid subdomain|resolve the root domain/i,
    'The parent of the custom domain needs an A record in DNS before Cognito accepts the custom domain.',
  ],
  [
    /certificate/i,
    'The certificate must be issued, be in us-east-1 in the same account, and cover the custom domain.',
  ],
  [
    /\bSES\b|[Ee]mail address.*not verified|[Ii]dentity.*not verified/,
    'Verify the sender in SES in the same region, and request production access there.',
  ],
  [
    /not authorized to perform|AccessDenied|is not authorized/i,
    'The AWS user or role lacks this permission. docs/deploy-to-aws.md lists the permissions.',
  ],
  [/limit ?exceeded|quota|maximum number/i, 'Ask AWS for a higher quota, or delete what is no longer used.'],
  [/deletion protection/i, 'Deploy with --deletion-protection false first.'],
  [/schema/i, 'Check schema.graphql.'],
  [/code contains one or more errors|\bcode\b.*\berror/i, 'Check the resolver with npm run lint.'],
  [/rate exceeded|throttl/i, 'Run the command again in a few minutes.'],
];

/**
 * Sentences about a failed operation: the first resource that failed, its reason, what to do, and which resources were
 * kept. `events` are those of the operation, oldest first.
 */
export function explainFailure(events: readonly StackEvent[]): string[] {
  const failed = events.filter((event) => event.ResourceStatus?.endsWith('_FAILED') && !isCancelled(event));
  const first = failed.find((event) => !isOfStack(event)) ?? failed[0];
  const reason = readableReason(
    first?.ResourceStatusReason ?? events.at(-1)?.ResourceStatusReason ?? 'AWS gives no reason.',
  );
  const what =
    first && !isOfStack(first)
      ? `${first.LogicalResourceId} (${first.ResourceType}) failed`
      : 'The operation failed';
  const kept = events.filter(({ ResourceStatus }) => ResourceStatus === 'DELETE_SKIPPED');
  const hint = advice.find(([pattern]) => pattern.test(reason))?.[1];
  return [
    `${what}: ${reason}`,
    ...(hint === undefined ? [] : [hint]),
    ...(kept.length === 0
      ? []
      : [
          `These resources were kept, and you can delete them in the AWS console: ${kept.map(describeKept).join(', ')}.`,
        ]),
  ];
}

/** Resources that CloudFormation stopped because another one failed. */
function isCancelled({ ResourceStatusReason }: StackEvent): boolean {
  return /^Resource (?:creation|update|deletion) cancelled/i.test(ResourceStatusReason ?? '');
}

/** The service's message from the reason of a resource handler, without request ids. */
function readableReason(reason: string): string {
  const message = /Resource handler returned message: "(.*)" \(RequestToken/s.exec(reason)?.[1] ?? reason;
  return message.replace(/ \(Service: .*\)$/s, '').trim();
}

function describeKept({ LogicalResourceId, PhysicalResourceId }: StackEvent): string {
  return `${LogicalResourceId} ${PhysicalResourceId}`;
}
