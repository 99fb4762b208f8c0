/** Thrown when the local cloud cannot start. The message says why, and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
