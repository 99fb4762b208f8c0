/** Counts by key, such as the requests of each address. */
export class Counts {
  readonly #counts = new Map<string, number>();

  /** How many keys are counted. One whose count is 0 again takes no memory. */
  get size(): number {
    return this.#counts.size;
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.get(key) + 1);
  }

  remove(key: string): void {
    const left = this.get(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
