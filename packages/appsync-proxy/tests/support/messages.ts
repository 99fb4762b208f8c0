/** The operations of the messages in the data API, which these tests take as their example. */
import type { ShippedOperation, SubscriptionOperation } from '../../src/data-api/operation.ts';

type Message = { id: string; content: string; createdAt: string; mine: boolean; author: string };
type Page = { items: Message[]; nextToken: string | null };

const parts = 'fragment MessageParts on Message{id content createdAt mine author}';

export const LIST_MESSAGES: ShippedOperation<{ listMessages: Page }, { limit?: number }> = {
  operationName: 'ListMessages',
  kind: 'query',
  query: `query ListMessages($limit:Int$nextToken:String){listMessages(limit:$limit nextToken:$nextToken){items{...MessageParts}nextToken}}${parts}`,
};

export const CREATE_MESSAGE: ShippedOperation<{ createMessage: Message }, { content: string }> = {
  operationName: 'CreateMessage',
  kind: 'mutation',
  query: `mutation CreateMessage($content:String!){createMessage(content:$content){...MessageParts}}${parts}`,
};

export const DELETE_MESSAGE: ShippedOperation<{ deleteMessage: { id: string } }, { id: string }> = {
  operationName: 'DeleteMessage',
  kind: 'mutation',
  query: 'mutation DeleteMessage($id:ID!){deleteMessage(id:$id){id}}',
};

export const REMOVE_MESSAGE: ShippedOperation<{ removeMessage: { id: string } }, { id: string }> = {
  operationName: 'RemoveMessage',
  kind: 'mutation',
  query: 'mutation RemoveMessage($id:ID!){removeMessage(id:$id){id}}',
};

export const MESSAGE_CREATED: SubscriptionOperation = {
  operationName: 'MessageCreated',
  kind: 'subscription',
  query: 'subscription MessageCreated{messageCreated{id content createdAt author}}',
};

export const MESSAGE_DELETED: SubscriptionOperation = {
  operationName: 'MessageDeleted',
  kind: 'subscription',
  query: 'subscription MessageDeleted{messageDeleted{id}}',
};

export const RECORDS_ERASED: SubscriptionOperation = {
  operationName: 'RecordsErased',
  kind: 'subscription',
  query: 'subscription RecordsErased{recordsErased}',
};
