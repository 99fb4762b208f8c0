/** What the HTTP server takes from this site. */
import {
  createResponseCookies,
  isSameOrigin,
  type LocationEnv,
  siteLocation,
} from '@tenfold/cognito-session';
import type { ServerRules } from '@tenfold/site-server';
import { POLICY_REPORTS_PATH } from './content-policy/policy-reports-path.ts';
import { createBodyLimits } from './rendering/body-limits.ts';

/** The rules of the site with this origin and hosted login. */
export function serverRulesOf(env: LocationEnv): ServerRules {
  const { appOrigin } = env;
  return {
    appOrigin,
    isSameOrigin: (headers) => isSameOrigin(headers, appOrigin),
    location: (value) => siteLocation(value, env),
    createCookies: createResponseCookies,
    isRoutine: isReport,
    maxBodyBytes: createBodyLimits().largest,
  };
}

/**
 * Reports of violations of the Content-Security-Policy get 204, or 429 beyond the rate limit. The violations have log
 * lines of their own, whose number is limited: a flood of reports must not fill the log.
 */
function isReport(path: string, status: number): boolean {
  return path === POLICY_REPORTS_PATH && (status === 204 || status === 429);
}
