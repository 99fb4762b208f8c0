/** The states of a visitor that a page can show. */
export type Visitor =
  | { state: 'anonymous' }
  /** `label` is the name or else the e-mail address. */
  | { state: 'signed-in'; label: string }
  /** There was a session; it has ended by itself. */
  | { state: 'ended' };
