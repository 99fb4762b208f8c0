import type { ReactElement } from 'react';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import { type CloudReply, type Handler, redirect, text } from '../http/exchange.ts';
import type { AuthorizationCodes } from '../oauth/authorization-codes.ts';
import { sendCode } from '../oauth/authorize.ts';
import type { BrowserSessions } from '../oauth/browser-sessions.ts';
import type { Outbox } from '../user-pool/outbox.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../user-pool/passwords.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { isEmail, normalizeEmail, type User, type Users } from '../user-pool/users.ts';
import type { FormError } from './form.tsx';
import { renderPage } from './render-page.ts';
import { openVisit, type Visit } from './visit.ts';
import type { VisitorMemory } from './visitor-memory.ts';

export type HostedLogin = {
  userPool: UserPool;
  users: Users;
  outbox: Outbox;
  codes: AuthorizationCodes;
  browserSessions: BrowserSessions;
  memory: VisitorMemory;
  limits: {
    /** Wrong passwords per address. */
    signIn: AttemptLimit;
    /** Sign-ups per address; each sends a mail. */
    signUp: AttemptLimit;
    /** Codes sent anew per address. */
    resend: AttemptLimit;
    /** Codes tried per address and purpose. */
    code: AttemptLimit;
  };
};

/** How a page looks, and what its form does. */
export type PageDefinition = {
  show(visit: Visit, error: FormError | null): ReactElement;
  submit(visit: Visit): Promise<CloudReply> | CloudReply;
};

/** A page with a form: GET shows it, POST does what it says, if the form is one of ours. */
export function createPage(login: HostedLogin, { show, submit }: PageDefinition): Handler {
  return (request) => {
    const opened = openVisit(request, login);
    if ('refusal' in opened) return opened.refusal;
    const { visit } = opened;
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return showPage(visit, show(visit, null));
      case 'POST':
        return visit.isOwnForm()
          ? submit(visit)
          : showPage(visit, show(visit, { field: null, message: visit.t('formExpired') }), 403);
      default:
        return text(405, 'Method not allowed\n', { allow: 'GET, HEAD, POST' });
    }
  };
}

/** The page again with what is wrong, and with what was typed. */
export function showAgain(visit: Visit, page: ReactElement): CloudReply {
  return showPage(visit, page, 400);
}

function showPage(visit: Visit, page: ReactElement, status = 200): CloudReply {
  // The form's answer leads on to the site.
  const formTargets = [new URL(visit.authorization.redirectUri).origin];
  return renderPage(page, { status, cookies: visit.cookies, formTargets });
}

/** On to another page of the hosted login. */
export function goTo(visit: Visit, path: string): CloudReply {
  return { ...redirect(visit.link(path), { 'set-cookie': visit.cookies }), status: 303 };
}

/** Signs the user in and sends them back to the site with a code. */
export function finish(visit: Visit, user: User, { browserSessions, codes }: HostedLogin): CloudReply {
  const { session, cookie } = browserSessions.start(user);
  visit.remember({});
  return {
    ...sendCode(visit.authorization, session, codes, { 'set-cookie': [...visit.cookies, cookie] }),
    status: 303,
  };
}

/** What is wrong with the e-mail address that was sent. */
export function emailProblem(visit: Visit): FormError | null {
  return isEmail(visit.field('email').trim()) ? null : { field: 'email', message: visit.t('emailInvalid') };
}

/** What is wrong with the new password that was sent; its length is counted in characters, not in code units. */
export function newPasswordProblem(visit: Visit): FormError | null {
  const { length } = [...visit.field('password')];
  if (length < MIN_PASSWORD_LENGTH) {
    return { field: 'password', message: visit.t('passwordTooShort', { count: MIN_PASSWORD_LENGTH }) };
  }
  return length > MAX_PASSWORD_LENGTH
    ? { field: 'password', message: visit.t('passwordTooLong', { count: MAX_PASSWORD_LENGTH }) }
    : null;
}

export function codeProblem(visit: Visit): FormError | null {
  return /^\d{6}$/.test(visit.field('code').replace(/\s/g, ''))
    ? null
    : { field: 'code', message: visit.t('codeInvalid') };
}

export function tooManyAttempts(visit: Visit): FormError {
  return { field: null, message: visit.t('tooManyAttempts') };
}

/** Whose code this browser is to enter, for one purpose; null when it was not sent here to enter any. */
export function awaitedEmail(visit: Visit, purpose: 'signUp' | 'reset'): string | null {
  const { awaitsCode } = visit.remembered;
  return awaitsCode?.purpose === purpose ? awaitsCode.email : null;
}

/** The address that a form is about: the one that this browser awaits a code for, else the one typed. */
export function addressedEmail(visit: Visit, purpose: 'signUp' | 'reset'): string {
  return awaitedEmail(visit, purpose) ?? normalizeEmail(visit.field('email'));
}
