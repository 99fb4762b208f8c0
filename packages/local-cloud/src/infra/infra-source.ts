/** The resources of a CloudFormation template, with the long form of every function, such as `{ Ref: 'Name' }`. */
export type Template = {
  Resources: Readonly<Record<string, { Type: string; Properties: Readonly<Record<string, unknown>> }>>;
};

/** The code of a resolver, or of a function of its pipeline, for APPSYNC_JS. */
export type ResolverCode = {
  /** The path of the file, for messages. */
  path: string;
  /** The one file that is deployed. */
  code: string;
  /** The files that it was made from, for messages: itself and the modules that it imports. */
  files: readonly string[];
};

/** The resolver of a field. A unit resolver has no `functions`, a pipeline has them in their order. */
export type ResolverSource = {
  typeName: string;
  fieldName: string;
  resolver: ResolverCode;
  functions: readonly ResolverCode[];
};

/** The infrastructure that the local cloud stands for. */
export type InfraSource = {
  template: Template;
  /** The schema of the API (GraphQL SDL). */
  schema: string;
  resolvers: readonly ResolverSource[];
};
