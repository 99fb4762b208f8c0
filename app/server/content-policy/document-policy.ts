/** The Content-Security-Policy of a document. */
import { createHash } from 'node:crypto';
import type { LocationEnv } from '@tenfold/cognito-session';
import { POLICY_REPORTS_PATH } from './policy-reports-path.ts';

/** The settings that the policy of a document depends on. */
export type PolicyEnv = LocationEnv;

/**
 * The headers with a document's Content-Security-Policy (level 3): its inline script by the hash of the text that was
 * written (section 6.7.3.3), everything else from the site.
 * `form-action` names the hosted login because browsers apply it to the redirect after the sign-out form.
 * Browsers that support `report-to` ignore `report-uri`, and accept endpoints for reports only over https.
 */
export function documentPolicy(
  inlineScript: string,
  env: PolicyEnv,
  development: boolean,
): Record<string, string> {
  const isHttps = env.appOrigin.startsWith('https:');
  const directives = {
    'default-src': ["'self'"],
    'script-src': ["'self'", `'sha256-${createHash('sha256').update(inlineScript).digest('base64')}'`],
    // Vite's development client injects its styles and listens on a web socket.
    'style-src': ["'self'", ...(development ? ["'unsafe-inline'"] : [])],
    'connect-src': ["'self'", ...(development ? ['ws:'] : [])],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'", env.userPool.domain],
    'frame-ancestors': ["'none'"],
    'report-uri': [POLICY_REPORTS_PATH],
    ...(isHttps ? { 'report-to': ['csp'] } : {}),
  };
  const policy = Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
  return {
    'content-security-policy': policy,
    ...(isHttps ? { 'reporting-endpoints': `csp="${POLICY_REPORTS_PATH}"` } : {}),
  };
}
