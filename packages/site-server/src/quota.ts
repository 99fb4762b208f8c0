/** What a process may have at the same time, in all and by key, such as the address of a visitor. */
export class Quota {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #perKey = new Map<string, number>();
  #total = 0;

  constructor({ max, maxPerKey }: { max: number; maxPerKey: number }) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
  }

  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  /** How many keys have something. One that has nothing takes no memory. */
  get keys(): number {
    return this.#perKey.size;
  }

  /** Counts one more, which `release` gives back, or returns false if there are too many. */
  take(key: string): boolean {
    const ofKey = this.#perKey.get(key) ?? 0;
    if (this.isFull || ofKey >= this.#maxPerKey) return false;
    this.#perKey.set(key, ofKey + 1);
    this.#total += 1;
    return true;
  }

  release(key: string): void {
    const left = (this.#perKey.get(key) ?? 0) - 1;
    if (left > 0) this.#perKey.set(key, left);
    else this.#perKey.delete(key);
    this.#total -= 1;
  }
}
