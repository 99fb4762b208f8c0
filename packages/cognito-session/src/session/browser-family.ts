/** The families of browser and system in a `User-Agent`, so that visitors recognize their sessions. */
import { z } from 'zod';

const browserFamily = z.enum(['Firefox', 'Chrome', 'Edge', 'Safari', 'Opera', 'Samsung Internet']);
const systemFamily = z.enum(['Windows', 'macOS', 'Linux', 'Android', 'iOS']);
/** Null for what is not recognized. */
export const familiesSchema = z.object({
  browser: browserFamily.nullable(),
  system: systemFamily.nullable(),
});

export type BrowserFamily = z.infer<typeof browserFamily>;
export type SystemFamily = z.infer<typeof systemFamily>;
export type BrowserFamilies = z.infer<typeof familiesSchema>;

/** In this order: browsers name those that they are compatible with too. */
const BROWSERS: readonly (readonly [RegExp, BrowserFamily])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, SystemFamily])[] = [
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** How many characters of the header are read, because a client may send a long one. */
const MAX_LENGTH = 512;

/** Returns the families that a `User-Agent` names. An iPad that asks for desktop sites names macOS. */
export function browserFamilies(userAgent: string | null): BrowserFamilies {
  const text = (userAgent ?? '').slice(0, MAX_LENGTH);
  return { browser: firstMatch(BROWSERS, text), system: firstMatch(SYSTEMS, text) };
}

function firstMatch<Family>(rules: readonly (readonly [RegExp, Family])[], text: string): Family | null {
  return rules.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
