/**
 * What a visitor has typed into forms and not sent. Whenever the site itself leaves a document, the text is put aside in
 * this tab, and put back when the same page is shown again.
 */
import type { TabMemory } from './tab-memory.ts';

const KEY = 'unsaved-text';
/** Half an hour: whoever comes back later has something else in mind. */
const LIFETIME = 1_800_000;
const FIELDS = 'form textarea[name], form input[name]';
const TEXT_TYPES = ['textarea', 'text', 'search', 'email', 'url', 'tel'];

type TextField = HTMLInputElement | HTMLTextAreaElement;
type KeptText = { path: string; keptAt: number; fields: { name: string; before: string; text: string }[] };

export type UnsavedText = {
  /** Begins to notice what is typed. What was typed already counts too. */
  watch(document: Document): void;
  /** Whether text was put aside for the page at `path`. */
  isKept(path: string): boolean;
  /** Puts the text of the page at `path` aside. */
  keep(path: string, document: Document): void;
  /** Puts back what was put aside for `path`, into fields that still hold what they held then. */
  restore(path: string, document: Document): void;
};

export function createUnsavedText({ memory, now }: { memory: TabMemory; now: () => number }): UnsavedText {
  /** What each field held before the visitor came to it. */
  const before = new WeakMap<Element, string>();

  return {
    watch(document) {
      const remember = ({ target }: Event) => {
        if (isTextField(target) && !before.has(target)) before.set(target, target.value);
      };
      for (const field of textFields(document)) if (isChanged(field)) before.set(field, field.defaultValue);
      document.addEventListener('focusin', remember);
    },
    isKept(path) {
      const kept = memory.read(KEY);
      return isKeptText(kept) && kept.path === path;
    },
    keep(path, document) {
      const fields = textFields(document).flatMap((field) => {
        const original = before.get(field);
        const isChanged = original !== undefined && field.value !== original;
        return isChanged ? [{ name: field.name, before: original, text: field.value }] : [];
      });
      if (fields.length > 0) memory.write(KEY, { path, keptAt: now(), fields } satisfies KeptText);
    },
    restore(path, document) {
      const kept = memory.read(KEY);
      if (!isKeptText(kept)) return;
      const isOver = now() - kept.keptAt > LIFETIME;
      const put = !isOver && kept.path === path && kept.fields.filter((field) => putBack(field, document));
      if (isOver || (put && put.length > 0)) memory.write(KEY, undefined);
    },
  };
}

function putBack({ name, before, text }: KeptText['fields'][number], document: Document): boolean {
  const field = textFields(document).find(
    (candidate) => candidate.name === name && candidate.value === before,
  );
  if (!field) return false;
  // React overrides the property on each element to notice changes; the prototype's own setter is what typing uses.
  const prototype =
    field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  return true;
}

/** Whether a field holds something else than the document says. */
export function isChanged(field: Element): boolean {
  if (isTextField(field)) return field.value !== field.defaultValue;
  return field instanceof HTMLSelectElement && field.selectedOptions[0]?.defaultSelected === false;
}

function textFields(document: Document): TextField[] {
  return [...document.querySelectorAll(FIELDS)].filter(isTextField);
}

function isTextField(target: unknown): target is TextField {
  return (
    (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) &&
    TEXT_TYPES.includes(target.type)
  );
}

function isKeptText(value: unknown): value is KeptText {
  return (
    typeof value === 'object' && value !== null && 'path' in value && 'keptAt' in value && 'fields' in value
  );
}
