/** The part of a session that pages show: its state, the user's label and groups, without tokens and ids. */
import type { Session } from '@tenfold/cognito-session';

/** The visitor as pages show it. */
export type Visitor =
  | { state: 'anonymous' }
  /** `label` is the name, else the email address, else empty. `groups` is absent for visitors in none. */
  | { state: 'signed-in'; label: string; groups?: readonly string[] }
  /** The session expired or the user pool ended it. */
  | { state: 'ended' };

/** Returns the part of a session that is sent to the browser. */
export function toVisitor(session: Session): Visitor {
  if (session.state !== 'signed-in') return { state: session.state };
  const { name, email, groups } = session.user;
  return { state: 'signed-in', label: name ?? email ?? '', ...(groups.length > 0 && { groups }) };
}
