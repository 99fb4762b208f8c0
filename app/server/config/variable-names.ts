/** The libraries name their options when an operator has to correct one. The site sets these from its variables. */
import type { Log } from '@tenfold/upstream';

const VARIABLES: readonly (readonly [string, string])[] = [
  ['`userPool.clientId`', 'COGNITO_CLIENT_ID'],
  ['`userPool.clientSecret`', 'COGNITO_CLIENT_SECRET'],
  ['`userPool.refreshOperation`', 'COGNITO_REFRESH_OPERATION'],
  ['Do not call `createGuest`', 'Set COGNITO_ALLOW_GUESTS=false'],
  ['`issuer`', 'COGNITO_ISSUER'],
  ['`id`', 'COGNITO_IDENTITY_POOL_ID'],
  ['that `credentials` selects', 'in GRAPHQL_AUTH_MODE'],
];

/** Returns the log with the names of the site's variables in the field `fix` of an error. */
export function withVariableNames<OwnLog extends Log>(log: OwnLog): OwnLog {
  const error: Log['error'] = (first: string | Record<string, unknown>, message?: unknown) => {
    if (typeof first === 'string') return log.error(first);
    const { fix } = first;
    log.error(typeof fix === 'string' ? { ...first, fix: toVariables(fix) } : first, String(message));
  };
  return Object.create(log, { error: { value: error } });
}

function toVariables(fix: string): string {
  return VARIABLES.reduce((text, [option, variable]) => text.replaceAll(option, variable), fix);
}
