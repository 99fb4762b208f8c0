import type { ComponentProps } from 'react';
import type { IconName } from '~/icons/built-in-icons.ts';
import { Icon } from './icon.tsx';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ButtonSize = 'regular' | 'small';

const base =
  'relative inline-flex items-center justify-center gap-2 rounded-control border font-medium no-underline ' +
  'disabled:cursor-not-allowed disabled:opacity-50 aria-busy:cursor-progress';

const variants: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-primary text-on-primary hover:bg-primary-hover active:bg-primary-hover',
  secondary:
    'border-line-strong bg-surface text-ink hover:border-primary hover:text-primary active:bg-sunken',
  quiet: 'border-transparent bg-transparent text-ink hover:bg-sunken hover:text-primary active:bg-line',
  danger: 'border-transparent bg-danger text-on-danger hover:bg-danger-hover active:bg-danger-hover',
};

const sizes: Record<ButtonSize, string> = {
  regular: 'min-h-11 px-5 py-2',
  small: 'min-h-9 px-3 py-1 text-sm pointer-coarse:min-h-11',
};

/** The classes of a button, for links and `<summary>` elements that look like one. */
export function buttonClass(variant: ButtonVariant = 'primary', size: ButtonSize = 'regular'): string {
  return `${base} ${variants[variant]} ${sizes[size]}`;
}

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shown before the text. */
  icon?: IconName;
  /** Shows a spinner and ignores clicks. The button keeps the focus and its size. */
  busy?: boolean;
};

/**
 * A button, of `type="submit"` by default. Its text has an element of its own, as every text beside an element must: a
 * browser that translates the page replaces texts, and React fails beside one that is gone.
 */
export function Button({ variant, size, icon, busy = false, children, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="submit"
      {...props}
      className={buttonClass(variant, size)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      <ButtonIcon icon={icon} isBusy={busy} />
      <span>{children}</span>
    </button>
  );
}

function ButtonIcon({ icon, isBusy }: { icon: IconName | undefined; isBusy: boolean }) {
  if (isBusy) return <Icon name="lucide:loader-circle" className="size-[1.15em] animate-spin" />;
  return icon ? <Icon name={icon} /> : null;
}
