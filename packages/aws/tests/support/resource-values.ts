/** What `Ref` and `Fn::GetAtt` return for resources of the simulated account. */
import { type Evaluation, evaluate, holds, parameterValues } from './template-values.ts';
import type { Json, Template } from './template-yaml.ts';

export type Place = { region: string; account: string; stackName: string; stackId: string };

const POOL = 'TenfoldP1';
const API_ID = 'abcdefghijklmnopqrstuvwxyz';

/** An evaluation of the template. References to resources that its conditions leave out throw. */
export function evaluationOf(
  template: Template,
  parameters: Readonly<Record<string, string>>,
  place: Place,
): Evaluation {
  const evaluation: Evaluation = {
    template,
    parameters,
    pseudoParameters: {
      'AWS::Region': place.region,
      'AWS::AccountId': place.account,
      'AWS::Partition': 'aws',
      'AWS::StackName': place.stackName,
      'AWS::StackId': place.stackId,
    },
    resource(logicalId, attribute) {
      const { Type, Properties, Condition } = template.Resources[logicalId] ?? {
        Type: 'none',
        Properties: {},
      };
      if (Condition !== undefined && !holds(Condition, evaluation)) {
        throw new Error(`${logicalId} does not exist with these parameters`);
      }
      if (attribute !== null) return attributeOf(logicalId, attribute, place);
      if (Type === 'AWS::Cognito::UserPoolDomain') return evaluate(Properties.Domain ?? null, evaluation);
      return physicalId(logicalId, Type, place);
    },
  };
  return evaluation;
}

/** The properties of each resource that the conditions of the template include. */
export function evaluateResources(evaluation: Evaluation): Map<string, { type: string; properties: Json }> {
  const { Resources } = evaluation.template;
  const included = Object.entries(Resources).filter(
    ([, { Condition }]) => Condition === undefined || holds(Condition, evaluation),
  );
  return new Map(
    included.map(([id, { Type, Properties }]) => [
      id,
      { type: Type, properties: evaluate(Properties, evaluation) },
    ]),
  );
}

/** The outputs of the stack. */
export function evaluateOutputs(evaluation: Evaluation): Record<string, string> {
  const included = Object.entries(evaluation.template.Outputs).filter(
    ([, { Condition }]) => Condition === undefined || holds(Condition, evaluation),
  );
  return Object.fromEntries(included.map(([name, { Value }]) => [name, String(evaluate(Value, evaluation))]));
}

/** All parameters of the stack as CloudFormation lists them. */
export function listParameters(template: Template, given: Readonly<Record<string, string>>) {
  return Object.entries(parameterValues(template, given)).map(([ParameterKey, ParameterValue]) => ({
    ParameterKey,
    ParameterValue,
  }));
}

/** The physical id of a resource. */
export function physicalId(logicalId: string, type: string, { region, account, stackName }: Place): string {
  switch (type) {
    case 'AWS::Cognito::UserPool':
      return `${region}_${POOL}`;
    case 'AWS::Cognito::UserPoolClient':
      return '1h57kf5cpq17m0eml12EXAMPLE';
    case 'AWS::Cognito::IdentityPool':
      return `${region}:1a2b3c4d-5e6f-4a1b-8c2d-000000000001`;
    case 'AWS::IAM::ManagedPolicy':
      return `arn:aws:iam::${account}:policy/${stackName}-${logicalId}-1A2B3C4D5E6F`;
    case 'AWS::IAM::OIDCProvider':
      return `arn:aws:iam::${account}:oidc-provider/token.actions.githubusercontent.com`;
    case 'AWS::SNS::Topic':
      return `arn:aws:sns:${region}:${account}:${stackName}-${logicalId}-1A2B3C4D5E6F`;
    case 'AWS::AppSync::GraphQLApi':
      return `arn:aws:appsync:${region}:${account}:apis/${API_ID}`;
    default:
      return `${stackName}-${logicalId}-1A2B3C4D5E6F`;
  }
}

function attributeOf(logicalId: string, attribute: string, { region, account, stackName }: Place): string {
  const attributes: Record<string, string> = {
    'UserPool.Arn': `arn:aws:cognito-idp:${region}:${account}:userpool/${region}_${POOL}`,
    'UserPool.ProviderName': `cognito-idp.${region}.amazonaws.com/${region}_${POOL}`,
    'CustomUserPoolDomain.CloudFrontDistribution': 'd111111abcdef8.cloudfront.net',
    'GraphQLApi.ApiId': API_ID,
    'GraphQLApi.Arn': `arn:aws:appsync:${region}:${account}:apis/${API_ID}`,
    'GraphQLApi.GraphQLUrl': `https://${API_ID}.appsync-api.${region}.amazonaws.com/graphql`,
    'LoginWebAcl.Arn': `arn:aws:wafv2:${region}:${account}:regional/webacl/${stackName}-login/0a1b2c3d`,
    'ApiWebAcl.Arn': `arn:aws:wafv2:${region}:${account}:regional/webacl/${stackName}-api/0a1b2c3d`,
    'PageKeyFunction.FunctionARN': `arn:aws:cloudfront::${account}:function/${stackName}-page-key`,
    'Distribution.DomainName': 'd222222abcdef8.cloudfront.net',
    'MessagesDataSource.Name': 'Messages',
    'MessagesTable.Arn': `arn:aws:dynamodb:${region}:${account}:table/${stackName}-MessagesTable-1A2B3C4D5E6F`,
  };
  if (attribute === 'Arn' && logicalId.endsWith('Role')) {
    return `arn:aws:iam::${account}:role/${stackName}-${logicalId}-1A2B3C4D5E6F`;
  }
  if (attribute === 'FunctionId') return `${logicalId.toLowerCase()}1a2b`;
  const value = attributes[`${logicalId}.${attribute}`];
  if (value === undefined) throw new Error(`The attribute ${logicalId}.${attribute} is not known`);
  return value;
}
