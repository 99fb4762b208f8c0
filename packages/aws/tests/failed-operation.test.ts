import type { StackEvent } from '@aws-sdk/client-cloudformation';
import { expect, it } from 'vitest';
import { explainFailure } from '../stack/failed-operation.ts';

function failed(LogicalResourceId: string, ResourceStatusReason: string): StackEvent {
  const base = { StackId: 'stack', EventId: LogicalResourceId, StackName: 'tenfold', Timestamp: new Date(0) };
  return {
    ...base,
    LogicalResourceId,
    ResourceType: 'AWS::X::Y',
    ResourceStatus: 'CREATE_FAILED',
    ResourceStatusReason,
  };
}

it('leaves out resources that were canceled because another one failed', () => {
  const events = [failed('First', 'Resource creation cancelled'), failed('Second', 'It is broken.')];
  expect(explainFailure(events)).toEqual(['Second (AWS::X::Y) failed: It is broken.']);
});

it.each([
  ['The code contains one or more errors.', /^Check the resolver/],
  ['User pool already has a domain configured.', /^A user pool has one domain in amazoncognito\.com and one/],
  ['Domain already associated with another user pool', /^Another user pool has this domain/],
  [
    'Custom domain is not a valid subdomain: Was not able to resolve the root domain, please ensure an A record exists for the root domain.',
    /needs an A record in DNS/,
  ],
  ['The specified SSL certificate does not exist or is not in us-east-1.', /^The certificate must be issued/],
  ['Email address is not verified. The following identities failed the check', /^Verify the sender in SES/],
  [
    'User: arn:aws:iam::123456789012:user/a is not authorized to perform: iam:CreateRole on resource: b',
    /^The AWS user or role lacks this permission/,
  ],
  [
    'The user pool cannot be deleted because deletion protection is activated.',
    /--deletion-protection false/,
  ],
  ['Rate exceeded', /in a few minutes/],
])('says what to do about: %s', (reason, advice) => {
  const [what, hint] = explainFailure([failed('Resource', reason)]);
  expect(what).toContain(reason);
  expect(hint).toMatch(advice);
});

it('does not take the codes around a message for its reason', () => {
  const reason =
    'Resource handler returned message: "Invalid request provided: the role cannot be assumed (Service: DynamoDb, Status Code: 400, Request ID: 0A1B)" (RequestToken: 1a2b, HandlerErrorCode: InvalidRequest)';
  expect(explainFailure([failed('Resource', reason)])).toEqual([
    'Resource (AWS::X::Y) failed: Invalid request provided: the role cannot be assumed',
  ]);
});
