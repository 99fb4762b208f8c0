/** Now, in milliseconds since the epoch. Time is handed in wherever it decides something, so that tests can set it. */
export type Clock = () => number;

/** The machine's own time. */
export const systemClock: Clock = () => Date.now();
