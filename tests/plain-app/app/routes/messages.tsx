import { useLoaderData, useRevalidator } from '@remix-run/react';
import { isUpstreamError, type ShippedOperation } from '@tenfold/appsync-proxy';
import { api } from '../api.server';
import { auth } from '../session.server';

type Messages = { listMessages: { items: { id: string; content: string }[] } };

const LIST_MESSAGES: ShippedOperation<Messages, Record<string, never>> = {
  kind: 'query',
  operationName: 'ListMessages',
  query: 'query ListMessages { listMessages { items { id content } } }',
};

export const headers = auth.headers;

export const loader = auth.withUser(async ({ request, session }) => {
  const operation = { ...LIST_MESSAGES, variables: {} };
  const { result } = await api.execute(session, operation, { signal: request.signal }).catch((error) => {
    throw isUpstreamError(error) ? new Response('The API does not respond.', { status: 503 }) : error;
  });
  return { items: result.data?.listMessages.items ?? [], errors: result.errors };
});

// The text of messages.graphql without insignificant white space: the proxy compares it.
const CREATE_MESSAGE = 'mutation CreateMessage($content:String!){createMessage(content:$content){id}}';

async function createMessage(content: string): Promise<boolean> {
  const response = await fetch('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: CREATE_MESSAGE, variables: { content } }),
  });
  const { errors } = await response.json();
  return errors === undefined;
}

export default function MessagesPage() {
  const { items } = useLoaderData<typeof loader>();
  const { revalidate } = useRevalidator();
  const onClick = async () => {
    if (await createMessage('Hello')) revalidate();
  };
  return (
    <main>
      <ul>
        {items.map(({ id, content }) => (
          <li key={id}>{content}</li>
        ))}
      </ul>
      <button type="button" onClick={onClick}>
        Say hello
      </button>
    </main>
  );
}
