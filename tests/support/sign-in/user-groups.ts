/** Changes of the groups of a user, as an administrator of the user pool makes them. */
import {
  AdminAddUserToGroupCommand,
  AdminRemoveUserFromGroupCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import type { LocalCloud } from '@tenfold/local-cloud';

/** Adds the user to a group, by default `admins`, or removes the user from it. The next tokens show it. */
export async function changeAdmin(
  cloud: LocalCloud,
  email: string,
  isMember: boolean,
  group = 'admins',
): Promise<void> {
  const environment = cloud.environment();
  const client = new CognitoIdentityProviderClient({
    region: 'us-east-1',
    endpoint: environment.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER ?? '',
    credentials: { accessKeyId: 'administrator', secretAccessKey: 'unused' },
  });
  const membership = {
    UserPoolId: environment.COGNITO_USER_POOL_ID,
    Username: email,
    GroupName: group,
  };
  if (isMember) await client.send(new AdminAddUserToGroupCommand(membership));
  else await client.send(new AdminRemoveUserFromGroupCommand(membership));
}
