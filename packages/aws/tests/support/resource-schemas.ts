/**
 * What AWS's resource schemas say about the resource types of the template: which properties replace a resource, and
 * which actions its handlers call. `aws cloudformation describe-type --type RESOURCE --type-name …` prints a schema; these
 * are of August 2026.
 * https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
 */

export type ResourceSchema = {
  /** A change of one of these properties replaces the resource. */
  createOnly: readonly string[];
  /** A change of one of these properties may replace the resource. */
  conditionalCreateOnly?: readonly string[];
  /** The handlers of create, read, update and delete need actions of these services. */
  services: readonly string[];
  /** The other actions that they need, without those for keys, streams, buckets and functions of the account's owner. */
  actions?: readonly string[];
};

const resourceSchemas: Readonly<Record<string, ResourceSchema>> = {
  'AWS::CloudFront::CachePolicy': { createOnly: [], services: ['cloudfront'] },
  'AWS::CloudFront::Distribution': { createOnly: [], services: ['cloudfront'] },
  'AWS::CloudFront::Function': { createOnly: ['Name'], services: ['cloudfront'] },
  'AWS::CloudFront::OriginRequestPolicy': { createOnly: [], services: ['cloudfront'] },
  'AWS::CloudFront::ResponseHeadersPolicy': { createOnly: [], services: ['cloudfront'] },
  'AWS::Cognito::UserPool': {
    createOnly: [],
    services: ['cognito-idp'],
    actions: ['iam:PassRole', 'iam:CreateServiceLinkedRole'],
  },
  'AWS::Cognito::UserPoolClient': {
    createOnly: ['GenerateSecret', 'UserPoolId'],
    services: ['cognito-idp'],
    actions: ['iam:CreateServiceLinkedRole', 'iam:DeleteRolePolicy', 'iam:PassRole', 'iam:PutRolePolicy'],
  },
  'AWS::Cognito::UserPoolDomain': {
    createOnly: ['UserPoolId', 'Domain'],
    services: ['cognito-idp'],
    actions: ['cloudfront:UpdateDistribution'],
  },
  'AWS::Cognito::ManagedLoginBranding': {
    createOnly: ['UserPoolId', 'ClientId'],
    services: ['cognito-idp'],
  },
  'AWS::Cognito::UserPoolRiskConfigurationAttachment': {
    createOnly: ['UserPoolId', 'ClientId'],
    services: ['cognito-idp'],
    actions: ['iam:PassRole'],
  },
  'AWS::Cognito::IdentityPool': {
    createOnly: [],
    services: ['cognito-identity'],
    actions: ['iam:PassRole'],
  },
  'AWS::Cognito::IdentityPoolRoleAttachment': {
    createOnly: ['IdentityPoolId'],
    services: ['cognito-identity'],
    actions: ['iam:PassRole'],
  },
  'AWS::IAM::Role': {
    createOnly: ['Path', 'RoleName'],
    services: [],
    actions: [
      'iam:AttachRolePolicy',
      'iam:CreateRole',
      'iam:DeleteRole',
      'iam:DeleteRolePermissionsBoundary',
      'iam:DeleteRolePolicy',
      'iam:DetachRolePolicy',
      'iam:GetRole',
      'iam:GetRolePolicy',
      'iam:ListAttachedRolePolicies',
      'iam:ListRolePolicies',
      'iam:PutRolePermissionsBoundary',
      'iam:PutRolePolicy',
      'iam:TagRole',
      'iam:UntagRole',
      'iam:UpdateAssumeRolePolicy',
      'iam:UpdateRole',
      'iam:UpdateRoleDescription',
    ],
  },
  'AWS::AppSync::GraphQLApi': {
    createOnly: [],
    conditionalCreateOnly: ['UserPoolConfig', 'OpenIDConnectConfig', 'LambdaAuthorizerConfig'],
    services: ['appsync'],
    actions: ['iam:PassRole'],
  },
  // This type has no handlers in its schema.
  'AWS::AppSync::GraphQLSchema': { createOnly: ['ApiId'], services: ['appsync'] },
  'AWS::AppSync::Resolver': { createOnly: ['ApiId', 'FieldName', 'TypeName'], services: ['appsync'] },
  'AWS::AppSync::FunctionConfiguration': { createOnly: ['ApiId'], services: ['appsync'] },
  'AWS::AppSync::DataSource': {
    createOnly: ['ApiId', 'Name'],
    services: ['appsync'],
    actions: ['iam:PassRole'],
  },
  'AWS::DynamoDB::Table': {
    createOnly: ['TableName', 'ImportSourceSpecification'],
    conditionalCreateOnly: ['KeySchema'],
    services: ['dynamodb'],
    actions: ['iam:CreateServiceLinkedRole'],
  },
  'AWS::Logs::LogGroup': { createOnly: ['LogGroupName'], services: ['logs'] },
  'AWS::WAFv2::WebACL': { createOnly: ['Name', 'Scope'], services: ['wafv2'] },
  'AWS::WAFv2::WebACLAssociation': {
    createOnly: ['ResourceArn', 'WebACLArn'],
    services: ['wafv2', 'appsync', 'cognito-idp'],
  },
  'AWS::SNS::Topic': {
    createOnly: ['TopicName', 'FifoTopic'],
    services: ['sns'],
    actions: ['iam:GetRole', 'iam:PassRole'],
  },
  'AWS::CloudWatch::Alarm': { createOnly: ['AlarmName'], services: ['cloudwatch'] },
  // This type has no handlers in its schema.
  'AWS::Budgets::Budget': { createOnly: ['NotificationsWithSubscribers'], services: ['budgets'] },
};

/** The schema of a resource type. Throws for a type that is not listed. */
export function schemaOf(type: string): ResourceSchema {
  const schema = resourceSchemas[type];
  if (schema === undefined)
    throw new Error(`The resource schema of ${type} is not listed in resource-schemas.ts`);
  return schema;
}
