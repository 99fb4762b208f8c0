import type { TabStorage } from './tab-storage.ts';

/** A text that the visitor typed and that this tab keeps until the visitor is back at its field. */
export class Draft {
  readonly #storage: TabStorage;
  readonly #key: string;

  constructor(storage: TabStorage, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  /** Saves `text`. An empty text removes what was saved. */
  save(text: string): void {
    this.#storage.write(this.#key, text || undefined);
  }

  isSaved(): boolean {
    return this.#read() !== '';
  }

  /** Returns the saved text, or an empty text, and removes it. */
  consume(): string {
    const text = this.#read();
    this.save('');
    return text;
  }

  /** Removes the text when the visitor signs out. */
  removeOnSignOut(document: Document): void {
    const remove = ({ target }: Event) => {
      if (target instanceof HTMLFormElement && target.action.endsWith('/auth/sign-out')) this.save('');
    };
    document.addEventListener('submit', remove, { capture: true });
  }

  #read(): string {
    const text = this.#storage.read(this.#key);
    return typeof text === 'string' ? text : '';
  }
}
