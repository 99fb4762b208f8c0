import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/ui/icon.tsx';
import { type TextCut, textCut } from './text-length.ts';

/** Clipping keeps stacked combining marks, which extend beyond their line, off the neighboring texts. */
const textClass =
  'min-h-[1lh] overflow-clip wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext] print:max-h-none! print:[mask-image:none]!';

const cutClasses: Record<Exclude<TextCut, 'never'>, { text: string; control: string }> = {
  always: {
    text: 'group-[:not(:has([open]))]/text:max-h-[10lh] group-[:not(:has([open]))]/text:[mask-image:linear-gradient(#000_calc(100%-3lh),transparent)]',
    control: '',
  },
  narrow: {
    text: '@max-[22rem]:group-[:not(:has([open]))]/text:max-h-[10lh] @max-[22rem]:group-[:not(:has([open]))]/text:[mask-image:linear-gradient(#000_calc(100%-3lh),transparent)]',
    control: 'hidden @max-[22rem]:block',
  },
};

/**
 * The text of a message, each line in the direction of its own first letters. A long text is cut after ten lines. The button
 * that shows all of it is a `<details>` element whose state the style sheet reads, so it works without scripts.
 */
export function MessageText({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  const cut = textCut(text);
  if (cut === 'never') {
    return (
      <p dir="auto" className={textClass}>
        {text}
      </p>
    );
  }
  const classes = cutClasses[cut];
  return (
    <div className="group/text @container">
      <p dir="auto" className={`${textClass} ${classes.text}`}>
        {text}
      </p>
      <details className={`group/more print:hidden ${classes.control}`}>
        <summary className="mt-1 inline-flex min-h-9 items-center gap-1 rounded-sm text-sm font-medium text-primary pointer-coarse:min-h-11">
          <span className="group-open/more:hidden">{t('list.showAll')}</span>
          <span className="hidden group-open/more:inline">{t('list.showLess')}</span>
          <Icon
            name="lucide:chevron-down"
            className="size-4 transition-transform group-open/more:rotate-180"
          />
        </summary>
      </details>
    </div>
  );
}
