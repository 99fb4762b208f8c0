/** Examples of how a locale writes dates, numbers and lists. Pure: the moment and the time zone are always the same. */
import type { Locale } from '../../i18n/locales.ts';

const MOMENT = Date.UTC(2026, 2, 14, 15, 9, 26);
const AMOUNT = 1_234_567.89;

export type SampleName = 'date' | 'time' | 'number' | 'percent' | 'unit' | 'relative' | 'list' | 'order';

/**
 * What `Intl` writes in `locale`. Engines come with different editions of its data, so a page shows what the server
 * wrote and does not write it again.
 */
export function formatSamples({ iso }: Locale): Record<SampleName, string> {
  const dates = { calendar: 'gregory', timeZone: 'UTC' } as const;
  const words = [...WORDS[iso]];
  return {
    date: new Intl.DateTimeFormat(iso, { ...dates, dateStyle: 'full' }).format(MOMENT),
    time: new Intl.DateTimeFormat(iso, { ...dates, timeStyle: 'short' }).format(MOMENT),
    number: new Intl.NumberFormat(iso).format(AMOUNT),
    percent: new Intl.NumberFormat(iso, { style: 'percent', maximumFractionDigits: 1 }).format(0.425),
    unit: new Intl.NumberFormat(iso, { style: 'unit', unit: 'kilometer-per-hour' }).format(88),
    relative: new Intl.RelativeTimeFormat(iso, { numeric: 'auto' }).format(-1, 'day'),
    list: new Intl.ListFormat(iso).format(words),
    order: words.sort(new Intl.Collator(iso).compare).join(' < '),
  };
}

/** Three words of each language, not in its alphabetical order. */
const WORDS: Record<Locale['iso'], readonly [string, string, string]> = {
  'en-US': ['rose', 'Ash', 'elm'],
  'fr-FR': ['érable', 'figue', 'Abricot'],
  'es-ES': ['ñame', 'nuez', 'oliva'],
  'zh-CN': ['月', '山', '水'],
  'ar-SA': ['قمر', 'شمس', 'بحر'],
  'de-DE': ['Zoll', 'Öl', 'Ast'],
  'pt-BR': ['água', 'sol', 'açaí'],
  'ja-JP': ['つき', 'やま', 'うみ'],
  'ru-RU': ['ёлка', 'жук', 'дом'],
  'hi-IN': ['सूरज', 'चाँद', 'तारा'],
};
