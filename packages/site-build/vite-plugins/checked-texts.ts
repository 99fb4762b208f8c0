/** A Vite plugin that checks the translations before they are bundled. */
import type { Plugin } from 'vite';
import { findTextProblems } from '../../texts/text-problems.ts';

/**
 * Fails the build with one line for each problem of a translation in `locales`. In development the problems are warnings
 * in the terminal.
 */
export function checkedTexts(locales: string): Plugin {
  return {
    name: 'tenfold:checked-texts',
    config(_config, { command }) {
      const problems = findTextProblems(locales);
      if (command === 'build' && problems.length > 0) throw new Error(`\n${problems.join('\n')}`);
    },
    configureServer({ config }) {
      for (const problem of findTextProblems(locales)) config.logger.warn(problem);
    },
  };
}
