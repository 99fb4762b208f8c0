/**
 * Which mutations a subscription reports, and what its subscribers get.
 * https://docs.aws.amazon.com/appsync/latest/devguide/aws-appsync-real-time-data.html
 */
import {
  type DocumentNode,
  execute,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isListType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Caller } from './api-schema.ts';
import { FieldError, RequestError } from './appsync-errors.ts';

/** A payload of a `data` frame. */
type Payload = { data: unknown; errors?: object[] };
type Subscriber = {
  caller: Caller;
  document: DocumentNode;
  field: string;
  onPayload(payload: Payload): void;
};

export type Subscriptions = {
  /**
   * Calls `onPayload` for every mutation that the document subscribes to, until the returned function is called. The document
   * is valid. Rejects with `RequestError` when it is no subscription or the caller may not subscribe.
   */
  add(document: DocumentNode, caller: Caller, onPayload: Subscriber['onPayload']): Promise<() => void>;
  /** Reports the fields of an executed mutation to their subscribers. */
  publish(document: DocumentNode, data: Record<string, unknown>): Promise<void>;
};

export function createSubscriptions(schema: GraphQLSchema): Subscriptions {
  const fields = schema.getSubscriptionType()?.getFields() ?? {};
  const mutationsOf = new Map(
    Object.values(fields).map(({ name, astNode, args }) => {
      if (args.length > 0) throw new Error(`Subscription.${name}: arguments are not supported.`);
      const given = astNode?.directives?.find((directive) => directive.name.value === 'aws_subscribe');
      const list = given?.arguments?.[0]?.value;
      const values = list?.kind === Kind.LIST ? list.values : [];
      return [name, values.flatMap((value) => (value.kind === Kind.STRING ? value.value : []))];
    }),
  );
  const subscribers = new Set<Subscriber>();

  const payloadFor = async (
    { document, caller, field }: Omit<Subscriber, 'onPayload'>,
    value: unknown,
  ): Promise<{ data: unknown; errors: readonly GraphQLError[] }> => {
    const { data, errors = [] } = await execute({
      schema,
      document,
      contextValue: caller,
      rootValue: { [field]: value },
    });
    return { data: data ?? null, errors };
  };

  return {
    async add(document, caller, onPayload) {
      const operation = getOperationAST(document);
      const [selected] = operation?.selectionSet.selections ?? [];
      if (operation?.operation !== 'subscription' || selected?.kind !== Kind.FIELD) {
        throw new RequestError(400, 'BadRequestException', 'The operation is not a subscription.');
      }
      const subscriber = { caller, document, field: selected.name.value, onPayload };
      const [denied] = (await payloadFor(subscriber, null)).errors;
      if (denied?.originalError instanceof FieldError) {
        throw new RequestError(401, denied.originalError.errorType ?? 'Unauthorized', denied.message);
      }
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    async publish(document, data) {
      const operation = getOperationAST(document);
      if (operation?.operation !== 'mutation') return;
      for (const [mutation, value] of Object.entries(
        withoutAliases(data, operation.selectionSet, document) ?? {},
      )) {
        if (value === null) continue;
        for (const subscriber of subscribers) {
          if (!mutationsOf.get(subscriber.field)?.includes(mutation)) continue;
          const payload = await payloadFor(subscriber, value);
          const errors = payload.errors.map((error) => describeError(error, schema));
          subscriber.onPayload(errors.length > 0 ? { ...payload, errors } : { data: payload.data });
        }
      }
    },
  };
}

/** Returns a result by the names of its fields. Fields that were not selected are missing. */
function withoutAliases(value: unknown, selection: SelectionSetNode, document: DocumentNode): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutAliases(item, selection, document));
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const node of selection.selections) {
    if (node.kind === Kind.FIELD) {
      const member: unknown = Reflect.get(value, (node.alias ?? node.name).value);
      result[node.name.value] = node.selectionSet
        ? withoutAliases(member, node.selectionSet, document)
        : member;
      continue;
    }
    const spread = node.kind === Kind.INLINE_FRAGMENT ? node : findFragment(node.name.value, document);
    Object.assign(result, spread && withoutAliases(value, spread.selectionSet, document));
  }
  return result;
}

function findFragment(name: string, { definitions }: DocumentNode): FragmentDefinitionNode | undefined {
  return definitions.find(
    (node): node is FragmentDefinitionNode =>
      node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
  );
}

/** Returns AppSync's error for a field that must not be null, and that the mutation has not selected. */
function describeError({ message, path = [] }: GraphQLError, schema: GraphQLSchema): object {
  const [, parent = '', field = ''] = /field (\w+)\.(\w+)\.$/.exec(message) ?? [];
  const type = schema.getType(parent);
  const fieldType = type && 'getFields' in type ? type.getFields()[field]?.type : undefined;
  const name = String(fieldType ?? '').replace(/[[\]!]/g, '');
  const kind = isListType(fieldType) ? 'array' : 'type';
  const text = `Cannot return null for non-nullable ${kind}: '${name}' within parent '${parent}' (/${path.join('/')})`;
  return { message: text, path };
}
