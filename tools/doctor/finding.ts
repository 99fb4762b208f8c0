/** What a check has found. */
export type Finding = {
  /** A warning leaves the exit code at 0. */
  status: 'ok' | 'warning' | 'failure' | 'not checked';
  /** Whole sentences. */
  text: string;
  /** What to do about a warning or a failure: a variable, an AWS setting or a command. */
  fix?: string;
};

/** A check ended early, with this finding. */
export class FindingError extends Error {
  constructor(readonly finding: Finding) {
    super(finding.text);
  }
}

/** Checks of one part. They yield findings as soon as they are known, and may throw a `FindingError`. */
export type Checks = () => AsyncGenerator<Finding, void>;

export const ok = (text: string): Finding => ({ status: 'ok', text });
export const notChecked = (text: string): Finding => ({ status: 'not checked', text });
export const warning = (text: string, fix: string): Finding => ({ status: 'warning', text, fix });
export const failure = (text: string, fix: string): Finding => ({ status: 'failure', text, fix });

/** Whether a host name is this machine's own address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
