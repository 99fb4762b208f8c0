/** A Vite plugin that checks the translations before they are bundled, and writes the types of the texts. */
import type { Plugin, ResolvedConfig } from 'vite';
import { findTextProblems } from '../texts/text-problems.ts';
import { writeTextTypes } from '../write-generated-files.ts';

/**
 * Fails the build with one line for each problem of a translation in `locales`. In development the problems are warnings
 * in the terminal, at the start and after each change.
 */
export function checkedTexts(locales: string): Plugin {
  const update = ({ logger }: ResolvedConfig) => {
    for (const problem of findTextProblems(locales)) logger.warn(problem);
    try {
      for (const file of writeTextTypes(locales)) logger.info(`written ${file}`);
    } catch {
      // The English texts cannot be read, which is one of the problems.
    }
  };
  return {
    name: 'tenfold:checked-texts',
    config(_config, { command }) {
      if (command !== 'build') return;
      const problems = findTextProblems(locales);
      if (problems.length > 0) throw new Error(`\n${problems.join('\n')}`);
      writeTextTypes(locales);
    },
    configureServer: ({ config }) => update(config),
    hotUpdate({ file, server }) {
      if (this.environment.name === 'ssr' && file.includes(`/${locales}/`)) update(server.config);
    },
  };
}
