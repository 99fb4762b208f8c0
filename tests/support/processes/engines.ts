/** The browsers beside Chromium that the end-to-end tests use, as far as they are installed. */
import { findFirefox, findWebKit } from '../../../tools/setup/engines.mjs';

const found = { Firefox: findFirefox(), WebKit: findWebKit() };
export type EngineName = keyof typeof found;
export const installedEngines = (Object.keys(found) as EngineName[]).filter((name) => found[name] !== null);

/** What the visitor has switched off in the browser. */
export type SwitchedOff = 'JavaScript' | 'cookies' | null;
