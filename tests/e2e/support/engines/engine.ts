import type { Tab } from './tab.ts';

/** A running browser that Playwright does not drive. */
export type Engine = {
  /** Opens a tab of a visitor who has not been here before. */
  openTab(): Promise<OpenTab>;
  close(): Promise<void>;
};

type OpenTab = {
  tab: Tab;
  /** The errors and warnings that pages have caused. */
  problems: readonly string[];
  close(): Promise<void>;
};
