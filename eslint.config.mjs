/**
 * What Biome cannot check: the resolvers may contain nothing that APPSYNC_JS does not support, and no regular expression
 * of the site may take more than linear time. Biome lints everything else.
 */
import appsync from '@aws-appsync/eslint-plugin';
import * as typescriptParser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

// The types of the plugin do not name its configurations.
const configs = /** @type {Record<string, import('eslint').Linter.Config>} */ (appsync.configs);

export default [
  {
    ...configs.recommended,
    files: ['infra/resolvers/*.js'],
    languageOptions: {
      ...configs.recommended?.languageOptions,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ['app/**/*.{ts,tsx}', 'packages/local-cloud/src/**/*.{ts,js}', 'server.ts'],
    languageOptions: { parser: typescriptParser },
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
];
