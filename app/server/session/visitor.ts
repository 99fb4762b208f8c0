/** The part of a session that pages show: its state and the user's label, without tokens and ids. */
import type { Session } from './session.ts';

/** The visitor as pages show it. */
export type Visitor =
  | { state: 'anonymous' }
  /** `label` is the name, else the email address, else empty. */
  | { state: 'signed-in'; label: string }
  /** The session expired or the user pool ended it. */
  | { state: 'ended' };

/** Returns the part of a session that is sent to the browser. */
export function toVisitor(session: Session): Visitor {
  if (session.state !== 'signed-in') return { state: session.state };
  return { state: 'signed-in', label: session.user.name ?? session.user.email ?? '' };
}
