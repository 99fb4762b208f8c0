import { useLoaderData } from '@remix-run/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormNotice } from '../../components/site/refusal-notice.tsx';
import { useForm } from '../../components/site/use-form.ts';
import { Button } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { useMounted } from '../../components/ui/use-mounted.ts';
import { absoluteTime } from '../../i18n/formats.ts';
import { useLocale } from '../../i18n/use-locale.ts';
import type { loadAccount } from './account-data.server.ts';
import { AccountSection } from './account-section.tsx';
import { FormStatus } from './form-status.tsx';

type ListedSession = Awaited<ReturnType<typeof loadAccount>>['sessions'][number];

/** The sessions of the visitor, with buttons that end the others. */
export function SessionsSection() {
  const { t } = useTranslation('account');
  const { sessions, seesAllSessions, notice } = useLoaderData<typeof loadAccount>();
  const single = useForm({ intent: 'end-session', notice });
  const all = useForm({ intent: 'end-other-sessions', notice });
  const [ending, setEnding] = useState<string | null>(null);
  const ended = all.notice === 'sessions-ended' ? 'othersEnded' : 'ended';
  const isEnded = ended === 'othersEnded' || single.notice === 'session-ended';
  const hasContent = sessions.length > 1 || isEnded || all.refusal !== null;
  return (
    <AccountSection
      id="sessions"
      title={t('sessions.title')}
      intro={t(seesAllSessions ? 'sessions.intro' : 'sessions.onlyThis')}
    >
      <single.Form {...single.props} className="grid grid-cols-1 gap-3">
        <input type="hidden" name="intent" value="end-session" />
        {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers */}
        <ul role="list" className="divide-y divide-line border-y border-line">
          {sessions.map((session) => (
            <SessionItem
              key={session.handle}
              session={session}
              isEnding={single.isSending && ending === session.handle}
              onEnd={() => setEnding(session.handle)}
            />
          ))}
        </ul>
        <FormNotice form={single} />
      </single.Form>
      <all.Form {...all.props} className={hasContent ? 'grid grid-cols-1 gap-3' : 'sr-only'}>
        <input type="hidden" name="intent" value="end-other-sessions" />
        <FormNotice form={all} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {sessions.length > 1 ? (
            <Button variant="secondary" busy={all.isSending}>
              {t('sessions.endOthers')}
            </Button>
          ) : null}
          <FormStatus form={ended === 'othersEnded' ? all : single}>
            {isEnded ? t(`sessions.${ended}`) : null}
          </FormStatus>
        </div>
      </all.Form>
    </AccountSection>
  );
}

type SessionItemProps = { session: ListedSession; isEnding: boolean; onEnd: () => void };

function SessionItem({ session, isEnding, onEnd }: SessionItemProps) {
  const { t } = useTranslation('account');
  const { browser, system } = session;
  const named = browser ?? t('sessions.unknown');
  const device = system ? t('sessions.device', { browser: named, system }) : named;
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-3 py-4">
      <div className="grid min-w-0 flex-[1_1_16rem] gap-1">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
          <span>{device}</span>
          {session.isCurrent ? (
            <span className="inline-flex items-center gap-1.5 text-sm text-secondary-ink">
              <Icon name="lucide:circle-check" className="size-4" />
              <span>{t('sessions.current')}</span>
            </span>
          ) : null}
        </p>
        <dl className="flex flex-wrap gap-x-5 gap-y-0.5 text-sm text-ink-muted">
          <SessionTime label={t('sessions.started')} time={session.startedAt} />
          <SessionTime label={t('sessions.lastActive')} time={session.lastActiveAt} />
        </dl>
      </div>
      {session.isCurrent ? null : (
        <Button
          variant="secondary"
          size="small"
          name="session"
          value={session.handle}
          aria-label={t('sessions.endNamed', { device })}
          busy={isEnding}
          onClick={onEnd}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}

/** The server does not know the time zone of the visitor: until hydration the time is in UTC. */
function SessionTime({ label, time }: { label: string; time: number }) {
  const { iso } = useLocale();
  const isMounted = useMounted();
  return (
    <div className="flex flex-wrap gap-x-1.5">
      <dt>{label}</dt>
      <dd>
        <time dateTime={new Date(time).toISOString()} suppressHydrationWarning>
          {absoluteTime(time, iso, isMounted ? undefined : 'UTC')}
        </time>
      </dd>
    </div>
  );
}
