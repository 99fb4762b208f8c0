/**
 * The types of `t`, wherever i18next or react-i18next has one. A wrong key or namespace and a missing or superfluous
 * argument do not compile.
 */
import type { Texts } from './texts.generated.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    strictKeyChecks: true;
    /** No keys, because i18next's own signature of `t` accepts a call without arguments for any key. */
    resources: Record<keyof Texts, Record<never, string>>;
  }

  interface TFunction<Ns extends Namespace = DefaultNamespace, KPrefix = undefined> {
    /** The text of a key of the namespace in `useTranslation`, by default of `common`. */
    <Key extends TextKey<NamespaceOf<Ns>>>(
      key: Key,
      ...values: TextValues<Placeholder<NamespaceOf<Ns>, Key>>
    ): string;
    /** The text of a key of another namespace. */
    <Other extends keyof Texts, Key extends TextKey<Other>>(
      key: Key,
      values: { ns: Other } & Record<Placeholder<Other, Key>, TextValue>,
    ): string;
  }
}

type NamespaceOf<Ns> = Ns extends readonly [infer First, ...unknown[]]
  ? First & keyof Texts
  : Ns & keyof Texts;
type TextKey<Ns extends keyof Texts> = keyof Texts[Ns] & string;
type Placeholder<Ns extends keyof Texts, Key extends TextKey<Ns>> = Texts[Ns][Key] & string;
type TextValue = string | number;
type TextValues<Name extends string> = [Name] extends [never] ? [] : [Record<Name, TextValue>];
