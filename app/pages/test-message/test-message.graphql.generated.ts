// Written by `npm run graphql:types`.
import type { ShippedOperation } from '~/server/data-api/operation.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ListMessagesVariables = Exact<{
  limit?: number | null | undefined;
  nextToken?: string | null | undefined;
}>;


export type ListMessages = { readonly listMessages: { readonly nextToken: string | null, readonly items: ReadonlyArray<{ readonly id: string, readonly content: string, readonly createdAt: string, readonly mine: boolean }> } };

export type CreateMessageVariables = Exact<{
  content: string;
}>;


export type CreateMessage = { readonly createMessage: { readonly id: string, readonly content: string, readonly createdAt: string, readonly mine: boolean } };

export type DeleteMessageVariables = Exact<{
  id: string;
}>;


export type DeleteMessage = { readonly deleteMessage: { readonly id: string } };

export type MessageParts = { readonly id: string, readonly content: string, readonly createdAt: string, readonly mine: boolean };

export const LIST_MESSAGES: ShippedOperation<ListMessages, ListMessagesVariables> = {
  "operationName": "ListMessages",
  "kind": "query",
  "query": "query ListMessages($limit:Int$nextToken:String){listMessages(limit:$limit nextToken:$nextToken){items{...MessageParts}nextToken}}fragment MessageParts on Message{id content createdAt mine}"
};

export const CREATE_MESSAGE: ShippedOperation<CreateMessage, CreateMessageVariables> = {
  "operationName": "CreateMessage",
  "kind": "mutation",
  "query": "mutation CreateMessage($content:String!){createMessage(content:$content){...MessageParts}}fragment MessageParts on Message{id content createdAt mine}"
};

export const DELETE_MESSAGE: ShippedOperation<DeleteMessage, DeleteMessageVariables> = {
  "operationName": "DeleteMessage",
  "kind": "mutation",
  "query": "mutation DeleteMessage($id:ID!){deleteMessage(id:$id){id}}"
};
