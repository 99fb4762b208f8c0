/** What a page may know of the session: who is signed in, in words, and nothing that would be worth stealing. */
import type { Visitor } from '../../components/site/visitor.ts';
import type { Session } from './session.ts';

/** The session as the browser may see it. */
export function visitorOf(session: Session): Visitor {
  if (session.state !== 'signed-in') return { state: session.state };
  return { state: 'signed-in', label: session.user.name ?? session.user.email ?? '' };
}
