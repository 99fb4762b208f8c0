// Rejects what APPSYNC_JS does not support in the resolvers. Biome lints everything else.
import appsync from '@aws-appsync/eslint-plugin';

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
];
