/** Sessions for the routes of a Remix app: the wrappers of its loaders and actions, and the routes of the sign-in. */
import { type LoaderFunctionArgs, redirectDocument } from '@remix-run/node';
import type { Authenticator } from 'remix-auth';
import { type CookieSource, createResponseCookies, type ResponseCookies } from './cookies/cookie-jar.ts';
import { type Delivered, deliver, deliverResponse, headers, isResponse } from './delivery.ts';
import { OpenedSessions } from './opened-sessions.ts';
import { type CognitoSessionOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { isDocumentRequest, isPrefetch } from './requests/document-request.ts';
import { isSameOrigin } from './requests/same-origin.ts';
import type { Revocation } from './session/closed-sessions.ts';
import { type Session, Sessions, type SignedIn } from './session/session.ts';
import type { SessionInfo } from './session/session-list.ts';
import type { SharedStore } from './shared-store/shared-store.ts';
import {
  createAuthenticators,
  createLogoutUrl,
  type SignIn,
  type SignInPage,
  type Visitor,
} from './sign-in/hosted-login.ts';
import { authPathsOf, parseReturnTo } from './sign-in/return-to.ts';
import { type Grant, Grants, isBegunBy, type StepUpArgs, type StepUpRequest } from './sign-in/step-up.ts';
import { type Account, createAccounts } from './user-pool/account.ts';
import { SignInError } from './user-pool/sign-in-error.ts';
import { createTokenVerifier } from './user-pool/token-verifier.ts';
import { createUserPoolClient } from './user-pool/user-pool-client.ts';

/** A loader or an action. Remix passes both the same arguments. */
type Handler<Result> = (args: LoaderFunctionArgs) => Promise<Result>;
type HandlerWith<Opened extends Session, Result> = (
  args: LoaderFunctionArgs & { session: Opened; cookies: ResponseCookies },
) => Result;

export type CognitoSession = {
  /**
   * Returns a loader or action that passes the session to `fn`, and puts the refreshed cookie, with those that `fn` sets in
   * `cookies`, on what `fn` returns, or throws as a response. Throws 403 for an unsafe request from another origin, without calling `fn`.
   */
  withSession<Result>(fn: HandlerWith<Session, Result>): Handler<Delivered<Awaited<Result>>>;
  /**
   * The same for signed-in visitors only. For others it throws, instead of calling `fn`, a redirect to the sign-in and
   * back for a document, and 401 for a request of client-side code.
   */
  withUser<Result>(fn: HandlerWith<SignedIn, Result>): Handler<Delivered<Awaited<Result>>>;
  /** A loader that redirects to the hosted login, and then back to the path in the parameter `returnTo`. */
  signIn: Handler<Response>;
  /** The same, with the hosted login's page for new users. */
  signUp: Handler<Response>;
  /** The loader of the redirect URI: starts the session. */
  callback: Handler<Response>;
  /** An action that ends the session of the app and that of the hosted login, which redirects to `/`. */
  signOut: Handler<Response>;
  /** The `headers` export of a page that uses the session. Pages of a signed-in visitor are not stored by caches. */
  headers: typeof headers;
  /**
   * Opens the session of a request, for servers that have a jar for the cookies of each response. It sets the refreshed
   * cookie in `cookies`.
   */
  open(request: CookieSource, cookies: ResponseCookies): Promise<Session>;
  /**
   * The authenticator of remix-auth for a request of such a server, with the strategies `sign-in` and `sign-up`. It throws
   * the redirect to the hosted login. At the redirect URI it resolves with the sign-in, or rejects with a `SignInError`.
   */
  authenticator(visitor: Visitor): Authenticator<SignIn>;
  /**
   * Gives the browser the session of the sign-in in place of the visitor's, which ends. After a fresh sign-in for an action
   * it gives the browser the grant, and returns the session as it is. Rejects with a `SignInError` if the tokens are too long
   * for cookies.
   */
  start(request: CookieSource, visitor: Visitor, signIn: SignIn): Promise<SignedIn>;
  /**
   * Refreshes the tokens now, so that `session.user` has the changed name. Returns the session as it is when the user pool
   * is unavailable.
   */
  renew(args: StepUpArgs): Promise<Session>;
  /** The user's sessions, for the user. They take the session that a request was given, not a copy. */
  sessions: {
    /**
     * The current session, then the others, the last active first. `seesAllSessions` is false without a shared store, and
     * while it does not respond: then only the current one is known.
     */
    list(session: SignedIn): Promise<{ sessions: SessionInfo[]; seesAllSessions: boolean }>;
    /** Ends another session of the user. Resolves with false if there is none with this handle, or no store responds. */
    endOther(session: SignedIn, handle: string): Promise<boolean>;
    /** Ends all others, and resolves with their number. Null: no store responds. */
    endOthers(session: SignedIn): Promise<number | null>;
  };
  /**
   * Calls `onEnd` once, within a second after the session has ended, on whichever machine. Returns a function that stops
   * the watch. For event streams.
   */
  watchEnd(session: SignedIn, onEnd: () => void): () => void;
  /** A fresh sign-in for one action. The session stays as it is, whatever becomes of it. */
  stepUp: {
    /**
     * Returns the redirect to the hosted login, which asks for the password again. For an action: throws a response for
     * another method than POST, for another origin, and without a session. Rejects with a `RangeError` for long values.
     */
    begin(args: StepUpArgs, stepUp: StepUpRequest): Promise<Response>;
    /**
     * Returns the grant for the action, within five minutes after the sign-in. Null: there is none for this action and this
     * session, or it is finished.
     */
    open(args: Omit<StepUpArgs, 'cookies'>, action: string): Promise<Grant | null>;
    /** Deletes the grant and revokes its tokens, after the action. A copy of its cookie is useless. Never rejects. */
    finish(args: StepUpArgs): Promise<void>;
  };
  /** Ends the visitor's session, and says whether its refresh token is revoked. Never rejects. */
  end(request: CookieSource, visitor: Visitor): Promise<Revocation>;
  /** The address that ends the session of the hosted login, which then redirects to `/`. */
  logoutUrl: string;
  /** What the machines share. It counts an app's own rate limits too. */
  store: SharedStore;
  /** Ends what runs beside the requests, and the connection to the store. */
  stop(): void;
};

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Creates the sessions of an app. Throws a `TypeError` for options that cannot work. */
export function createCognitoSession(options: CognitoSessionOptions): CognitoSession {
  const deps = createDeps(options);
  const opened = new OpenedSessions(deps.sessions);
  const { appOrigin, paths } = deps.settings;

  const wrap =
    <Opened extends Session, Result>(
      select: (session: Session, request: Request) => Opened,
      fn: HandlerWith<Opened, Result>,
    ): Handler<Delivered<Awaited<Result>>> =>
    async (args) => {
      rejectForeign(args.request, appOrigin);
      return opened.run(args, async ({ session, cookies }) => {
        const delivery = () => ({ lines: cookies.lines(), isPersonal: session.state === 'signed-in' });
        try {
          return deliver(await fn({ ...args, session: select(session, args.request), cookies }), delivery());
        } catch (thrown) {
          throw isResponse(thrown) ? deliver(thrown, delivery()) : thrown;
        }
      });
    };

  return {
    withSession: (fn) => wrap((session) => session, fn),
    withUser: (fn) => wrap((session, request) => requireUser(session, request, paths.signIn), fn),
    signIn: ({ request }) => beginSignIn('sign-in', request, deps),
    signUp: ({ request }) => beginSignIn('sign-up', request, deps),
    callback: ({ request }) => finishSignIn(request, deps),
    signOut: ({ request }) => signOut(request, deps),
    headers,
    open: (request, cookies) => deps.sessions.open(request, cookies),
    authenticator: deps.openAuthenticator,
    start: (request, visitor, signIn) => startSession(request, visitor, signIn, deps),
    renew: ({ request, cookies, session }) =>
      session.state === 'signed-in'
        ? deps.sessions.renew(request, cookies, session)
        : Promise.resolve(session),
    sessions: {
      list: (session) => deps.sessions.list(session),
      endOther: (session, handle) => deps.sessions.endOther(session, handle),
      endOthers: (session) => deps.sessions.endOthers(session),
    },
    watchEnd: (session, onEnd) => deps.sessions.watchEnd(session, onEnd),
    stepUp: {
      begin: (args, stepUp) => beginStepUp(args, stepUp, deps),
      open: (args, action) => openGrant(args, action, deps),
      finish: ({ request, cookies, session }) => deps.grants.finish(request, cookies, session),
    },
    end: (request, visitor) => endSession(request, visitor, deps),
    logoutUrl: createLogoutUrl(deps.settings),
    store: deps.store,
    stop() {
      deps.grants.stop();
      deps.sessions.stop();
      deps.store.disconnect();
    },
  };
}

type Deps = ResolvedOptions & {
  sessions: Sessions;
  grants: Grants;
  openAccount: (accessToken: string) => Account;
  openAuthenticator: ReturnType<typeof createAuthenticators>;
};

function createDeps(options: CognitoSessionOptions): Deps {
  const resolved = resolveOptions(options);
  const deps = { ...resolved, env: resolved.settings };
  const verifier = createTokenVerifier(deps);
  const userPoolClient = createUserPoolClient(deps);
  const sessions = new Sessions({ ...deps, userPoolClient, verifier });
  return {
    ...resolved,
    sessions,
    grants: new Grants({ ...deps, sessions }),
    openAccount: createAccounts(deps),
    openAuthenticator: createAuthenticators({ ...deps, verifier, sessions }),
  };
}

async function startSession(
  request: CookieSource,
  { cookies, session }: Visitor,
  { record, returnTo, stepUp }: SignIn,
  { sessions, grants, log }: Deps,
): Promise<SignedIn> {
  try {
    if (stepUp && isBegunBy(stepUp, session)) {
      await grants.start(request, cookies, record, stepUp);
      return session;
    }
    return await sessions.start(request, cookies, session, record);
  } catch (err) {
    log.error({ err }, 'saving the session failed');
    const action = stepUp?.action ?? null;
    throw new SignInError('unavailable', 'the session could not be saved', err, null, returnTo, action);
  }
}

function rejectForeign({ method, headers }: Request, appOrigin: string): void {
  if (SAFE_METHODS.includes(method) || isSameOrigin(headers, appOrigin)) return;
  throw plainResponse(403, 'The request comes from another origin.\n');
}

function requireUser(session: Session, { url, headers }: Request, signInPath: string): SignedIn {
  if (session.state === 'signed-in') return session;
  if (!isDocumentRequest(headers)) throw plainResponse(401, 'There is no session.\n');
  const { pathname, search } = new URL(url);
  throw redirectDocument(`${signInPath}?${new URLSearchParams({ returnTo: pathname + search })}`);
}

async function beginSignIn(page: SignInPage, request: Request, deps: Deps): Promise<Response> {
  const { appOrigin, paths } = deps.settings;
  const rejected = rejectUnlessVisit(request);
  if (rejected) return rejected;
  const visitor = await openVisitor(request, deps);
  if (visitor.session.state !== 'signed-in') {
    const redirect = await deps.openAuthenticator(visitor).authenticate(page, request).catch(asResponse);
    if (redirect instanceof Response) return send(redirect, visitor);
  }
  const returnTo = new URL(request.url).searchParams.get('returnTo');
  return send(redirectTo(parseReturnTo(returnTo, appOrigin, authPathsOf(paths))), visitor);
}

async function endSession(
  request: CookieSource,
  { cookies, session }: Visitor,
  { grants, sessions }: Deps,
): Promise<Revocation> {
  const [revocation] = await Promise.all([
    sessions.end(request, cookies, session),
    grants.finish(request, cookies, session),
  ]);
  return revocation;
}

async function beginStepUp(args: StepUpArgs, stepUp: StepUpRequest, deps: Deps): Promise<Response> {
  const { request, session } = args;
  const { appOrigin, paths } = deps.settings;
  if (request.method !== 'POST') throw methodNotAllowed('POST');
  rejectForeign(request, appOrigin);
  requireUser(session, request, paths.signIn);
  // The action has read the body: the authenticator could not copy the request.
  const visit = new Request(request.url, { headers: request.headers });
  const redirect = await deps
    .openAuthenticator(args, stepUp)
    .authenticate('sign-in', visit)
    .catch(asResponse);
  if (!(redirect instanceof Response))
    throw new TypeError('A step-up begins at another path than the callback.');
  return redirectTo(redirect.headers.get('location') ?? '/', 303);
}

async function openGrant(
  { request, session }: Omit<StepUpArgs, 'cookies'>,
  action: string,
  { grants, openAccount }: Deps,
): Promise<Grant | null> {
  const grant = await grants.open(request, session, action);
  return grant && { ...openAccount(grant.accessToken), action, values: grant.values };
}

async function finishSignIn(request: Request, deps: Deps): Promise<Response> {
  const rejected = rejectUnlessVisit(request);
  if (rejected) return rejected;
  const visitor = await openVisitor(request, deps);
  try {
    // Either page of the hosted login may have been used: its response is the same.
    const signIn = await deps.openAuthenticator(visitor).authenticate('sign-in', request);
    await startSession(request, visitor, signIn, deps);
    const isStrict = deps.settings.session.sameSite === 'strict';
    return send(isStrict ? redirectByPage(signIn.returnTo) : redirectTo(signIn.returnTo), visitor);
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const { code, returnTo, action } = error;
    // A signed-in visitor has opened the callback again.
    if (returnTo === null && visitor.session.state === 'signed-in') return send(redirectTo('/'), visitor);
    return send(await deps.onSignInError({ code, returnTo: returnTo ?? '/', action, request }), visitor);
  }
}

async function openVisitor(request: Request, { sessions }: Deps): Promise<Visitor> {
  const cookies = createResponseCookies();
  return { cookies, session: await sessions.open(request, cookies) };
}

async function signOut(request: Request, deps: Deps): Promise<Response> {
  const { settings } = deps;
  if (request.method !== 'POST') return methodNotAllowed('POST');
  rejectForeign(request, settings.appOrigin);
  const visitor = await openVisitor(request, deps);
  const { session } = visitor;
  const revocation = await endSession(request, visitor, deps);
  // Without the hosted login, the visitor would see an error of the browser.
  const staysHere = session.state !== 'signed-in' || revocation === 'unavailable';
  return send(redirectTo(staysHere ? '/' : createLogoutUrl(settings), 303), visitor);
}

/** A prefetch is not a visit: the browser sends the request again when the visitor opens the address. */
function rejectUnlessVisit({ method, headers }: Request): Response | null {
  if (method !== 'GET') return methodNotAllowed('GET');
  return isPrefetch(headers) ? plainResponse(403, 'A sign-in is not prefetched.\n') : null;
}

function methodNotAllowed(allow: string): Response {
  return new Response(null, { status: 405, headers: { allow } });
}

function plainResponse(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

/** The client-side code of Remix opens the address as a document too, since it may be on another site. */
function redirectTo(location: string, status: 302 | 303 = 302): Response {
  return redirectDocument(location, status);
}

/**
 * A page that navigates to `path` at once. Browsers withhold `SameSite=Strict` cookies from a chain of redirects that
 * began on another site; the navigation from this page begins here.
 */
function redirectByPage(path: string): Response {
  const target = path.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const html = `<!doctype html><meta charset="utf-8"><title>…</title><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">${target}</a>`;
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

function send(response: Response, { cookies }: Visitor): Response {
  return deliverResponse(response, { lines: cookies.lines(), isPersonal: true });
}

function asResponse(thrown: unknown): Response {
  if (thrown instanceof Response) return thrown;
  throw thrown;
}
