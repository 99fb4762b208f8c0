/** The rules of the site for a server at an origin. */
import { serverRulesOf } from '../../../app/server/server-rules.ts';

export const rulesAt = (appOrigin: string) =>
  serverRulesOf({ appOrigin, userPool: { domain: 'https://login.example' } });
