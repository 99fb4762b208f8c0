/**
 * Text that a visitor typed into forms and did not submit. The site saves it before it loads a new document, and restores
 * it when the same page is shown again.
 */
import type { TabStorage } from './tab-storage.ts';

const KEY = 'unsaved-text';
/** After half an hour the text is discarded. */
const LIFETIME_MS = 1_800_000;
const FIELDS = 'form textarea[name], form input[name]';
const TEXT_TYPES = ['textarea', 'text', 'search', 'email', 'url', 'tel'];

type TextField = HTMLInputElement | HTMLTextAreaElement;
type SavedText = { path: string; keptAt: number; fields: { name: string; before: string; text: string }[] };

export type UnsavedText = {
  /** Starts to track changes of text fields. Changes made before this call are included. */
  watch(document: Document): void;
  /** Whether text is saved for the page at `path`. */
  isSaved(path: string): boolean;
  /** Saves the changed text of the page at `path`. */
  save(path: string, document: Document): void;
  /** Restores the text saved for `path` into fields that still have their original value. */
  restore(path: string, document: Document): void;
};

export function createUnsavedText({ storage, now }: { storage: TabStorage; now: () => number }): UnsavedText {
  /** The value that each field had before the visitor changed it. */
  const originals = new WeakMap<Element, string>();

  return {
    watch(document) {
      const remember = ({ target }: Event) => {
        if (isTextField(target) && !originals.has(target)) originals.set(target, target.value);
      };
      for (const field of textFields(document))
        if (isChanged(field)) originals.set(field, field.defaultValue);
      document.addEventListener('focusin', remember);
    },
    isSaved(path) {
      const saved = storage.read(KEY);
      return isSavedText(saved) && saved.path === path;
    },
    save(path, document) {
      const fields = textFields(document).flatMap((field) => {
        const before = originals.get(field);
        const isUnsaved = before !== undefined && field.value !== before;
        return isUnsaved ? [{ name: field.name, before, text: field.value }] : [];
      });
      if (fields.length > 0) storage.write(KEY, { path, keptAt: now(), fields } satisfies SavedText);
    },
    restore(path, document) {
      const saved = storage.read(KEY);
      if (!isSavedText(saved)) return;
      const isExpired = now() - saved.keptAt > LIFETIME_MS;
      const isDue = !isExpired && saved.path === path;
      const restored = isDue ? saved.fields.filter((field) => restoreField(field, document)) : [];
      if (isExpired || restored.length > 0) storage.write(KEY, undefined);
    },
  };
}

function restoreField({ name, before, text }: SavedText['fields'][number], document: Document): boolean {
  const field = textFields(document).find(
    (candidate) => candidate.name === name && candidate.value === before,
  );
  if (!field) return false;
  // React overrides `value` on each element to detect changes. The prototype's setter acts as typing does.
  const prototype =
    field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  return true;
}

/** Whether a field's value differs from the one in the document. */
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

function isSavedText(value: unknown): value is SavedText {
  return (
    typeof value === 'object' && value !== null && 'path' in value && 'keptAt' in value && 'fields' in value
  );
}
