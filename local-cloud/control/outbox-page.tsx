import { Page } from '../hosted-login/layout.tsx';
import type { Mail } from '../user-pool/outbox.ts';

/** The mails as a page, newest first. */
export function OutboxPage({ mails }: { mails: readonly Mail[] }) {
  return (
    <Page language="en" title="Outbox">
      <main className="outbox">
        <h1>Outbox</h1>
        <p className="muted">
          What the local cloud would have mailed, newest first. Reload the page for what is new.
        </p>
        {mails.length === 0 ? <p className="empty">No mail yet.</p> : <Mails mails={mails} />}
      </main>
    </Page>
  );
}

function Mails({ mails }: { mails: readonly Mail[] }) {
  return (
    <ol className="mails">
      {mails.map((mail, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, to text
        <li key={index} className="mail">
          <p className="muted">
            <span>{mail.to}</span>{' '}
            <time dateTime={mail.at}>{mail.at.replace('T', ' ').slice(0, 19)} UTC</time>
          </p>
          <h2 dir="auto">{mail.subject}</h2>
          <p dir="auto">{mail.text}</p>
          {mail.code !== null && <p className="big-code">{mail.code}</p>}
        </li>
      ))}
    </ol>
  );
}
