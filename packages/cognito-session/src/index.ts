/** Sessions of visitors who sign in at the hosted login of an Amazon Cognito user pool. */
export { type CognitoSession, createCognitoSession } from './cognito-session.ts';
export { chunkNames } from './cookies/chunked-cookie.ts';
export {
  type CookieAttributes,
  type CookieSource,
  createResponseCookies,
  type ResponseCookies,
  readCookies,
  readValidCookie,
} from './cookies/cookie-jar.ts';
export { type CookieSealer, cookieName, createCookieSealer } from './cookies/sealed-cookie.ts';
export type { SessionMetrics } from './metrics.ts';
export type { CognitoSessionOptions, SignInFailure } from './options.ts';
export { isDocumentRequest, isFromOtherSite, isPrefetch } from './requests/document-request.ts';
export { type LocationEnv, siteLocation } from './requests/location.ts';
export { type HeaderReader, hasControlCharacter, isSameOrigin } from './requests/same-origin.ts';
export type { BrowserFamily, SystemFamily } from './session/browser-family.ts';
export type { Session, SignedIn } from './session/session.ts';
export { sessionHash } from './session/session-hash.ts';
export type { SessionInfo } from './session/session-list.ts';
export type { SessionSettings, UserPoolSettings } from './settings.ts';
export type { SharedStore } from './shared-store/shared-store.ts';
export type { SignIn, SignInPage } from './sign-in/hosted-login.ts';
export { parseReturnTo } from './sign-in/return-to.ts';
export type { Grant, StepUpArgs, StepUpRequest } from './sign-in/step-up.ts';
export type { AccountUser } from './user-pool/account.ts';
export { AccountError, type AccountErrorCode, accountErrorCodes } from './user-pool/account-error.ts';
export { SignInError, type SignInErrorCode, signInErrorCodes } from './user-pool/sign-in-error.ts';
