/** The export of an account: what the site and the user pool store about the visitor. */
import type { FormResult } from '../../forms/form-action.server.ts';
import { chosenLocale } from '../../server/preferences/locale-detection.ts';
import { isLanguageOfferDismissed, readTheme } from '../../server/preferences/preferences.ts';
import { refusalOfAccountError, type StepArgs } from './account-step.server.ts';
import { EXPORT_SCHEMA_PATH } from './export-schema-path.ts';
import { listOwnRecords } from './own-records.server.ts';

/** Returns the file. public/account-export.schema.json describes it. */
export async function exportAccount({
  grant,
  session,
  args,
  finish,
}: StepArgs): Promise<FormResult<string, never>> {
  const { request, context } = args;
  try {
    const [{ attributes }, { sessions, seesAllSessions }, records] = await Promise.all([
      grant.getUser(),
      context.auth.sessions.list(session),
      listOwnRecords(args),
    ]);
    const content = {
      $schema: context.env.appOrigin + EXPORT_SCHEMA_PATH,
      exportedAt: new Date().toISOString(),
      account: { sub: session.user.sub, attributes },
      sessions: sessions.map(({ startedAt, lastActiveAt, browser, system, isCurrent }) => ({
        startedAt: new Date(startedAt).toISOString(),
        lastActiveAt: new Date(lastActiveAt).toISOString(),
        browser,
        system,
        isCurrent,
      })),
      hasAllSessions: seesAllSessions,
      records,
      preferences: {
        language: chosenLocale(request)?.code ?? null,
        theme: readTheme(request),
        languageOfferDismissed: isLanguageOfferDismissed(request),
      },
    };
    await finish();
    return { file: { name: 'account.json', content } };
  } catch (error) {
    return { refusal: refusalOfAccountError(error, args) };
  }
}
