import { redirect } from '@remix-run/node';
import { Form, useLoaderData } from '@remix-run/react';
import { auth } from '../session.server';

type Note = { text: string; at: Date };

const notesOf = new Map<string, Note[]>();

export const headers = auth.headers;

export const loader = auth.withUser(({ session }) => ({ notes: notesOf.get(session.user.sub) ?? [] }));

export const action = auth.withUser(async ({ request, session }) => {
  const text = String((await request.formData()).get('text'));
  notesOf.set(session.user.sub, [...(notesOf.get(session.user.sub) ?? []), { text, at: new Date() }]);
  return redirect('/notes');
});

export default function Notes() {
  const { notes } = useLoaderData<typeof loader>();
  return (
    <main>
      <h1>Notes</h1>
      <ul>
        {notes.map(({ text, at }) => (
          <li key={at.getTime()}>{text}</li>
        ))}
      </ul>
      <Form method="post">
        <input name="text" aria-label="Text" required />
        <button type="submit">Add</button>
      </Form>
    </main>
  );
}
