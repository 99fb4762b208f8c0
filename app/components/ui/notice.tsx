import type { ReactNode } from 'react';
import type { IconName } from '~/icons/built-in-icons.ts';
import { Icon } from './icon.tsx';

type NoticeTone = 'info' | 'success' | 'caution' | 'danger';

const tones: Record<NoticeTone, { icon: IconName; className: string }> = {
  info: { icon: 'lucide:info', className: 'border-primary/40 bg-primary-soft text-primary-ink' },
  success: {
    icon: 'lucide:circle-check',
    className: 'border-secondary/40 bg-secondary-soft text-secondary-ink',
  },
  caution: { icon: 'lucide:triangle-alert', className: 'border-caution/50 bg-caution-soft text-caution-ink' },
  danger: { icon: 'lucide:circle-alert', className: 'border-danger/50 bg-danger-soft text-danger-ink' },
};

type NoticeProps = {
  tone?: NoticeTone;
  /** A few words, in bold. Leave it out for a notice of one sentence. */
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons and links. */
  actions?: ReactNode;
  /**
   * Whether the notice gets the focus when its document is loaded. Screen readers do not announce a live region that a
   * document already contains, but they read what has the focus.
   */
  hasInitialFocus?: boolean;
};

/** A message to the visitor. Screen readers announce errors immediately, and other notices when they are idle. */
export function Notice({ tone = 'info', title, children, actions, hasInitialFocus = false }: NoticeProps) {
  const { icon, className } = tones[tone];
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      tabIndex={hasInitialFocus ? -1 : undefined}
      // biome-ignore lint/a11y/noAutofocus: the notice is the result of what the visitor just did.
      autoFocus={hasInitialFocus}
      className={`flex flex-wrap items-center gap-x-6 gap-y-3 rounded-card border px-5 py-4 ${className}`}
    >
      <div className="flex min-w-0 flex-[1_1_20rem] gap-3">
        <Icon name={icon} className="mt-[0.2em] size-5" />
        <div className="min-w-0">
          {title ? <p className="font-semibold">{title}</p> : null}
          {children ? <div className="not-first:mt-0.5 empty:hidden">{children}</div> : null}
        </div>
      </div>
      {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
    </div>
  );
}
