/** The bytes that requests may keep in memory at the same time. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes bytes, which `giveBack` returns, or returns false if fewer are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** The budget of the process, for the requests that wait on their connection and the bodies that are read. */
export const requestBytes = new ByteBudget(32 * 1024 * 1024);
