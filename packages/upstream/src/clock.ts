/** Returns the current time in milliseconds since the epoch. It is a parameter wherever it matters, so that tests can set it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
