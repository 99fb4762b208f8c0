/** What the account page does. Each intent is the value of the field `intent` of a form. */

/** The actions that need a fresh sign-in. */
export const stepIntents = ['rename', 'change-password', 'export', 'delete-account'] as const;

export type StepIntent = (typeof stepIntents)[number];

/** Which notice the page shows after each success. */
export const accountNotices = [
  'renamed',
  'session-ended',
  'sessions-ended',
  'password-changed',
  'password-changed-only',
] as const;

export type AccountNotice = (typeof accountNotices)[number];

/** Whether the value names an action that needs a fresh sign-in. */
export function isStepIntent(value: unknown): value is StepIntent {
  return stepIntents.some((intent) => intent === value);
}
