import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vitePlugin as remix } from '@remix-run/dev';
import tailwindcss from '@tailwindcss/vite';
import {
  defaultClientConditions,
  defaultServerConditions,
  defineConfig,
  type Plugin,
  type Rollup,
} from 'vite';
import { denyImports } from 'vite-env-only';
import packageJson from './package.json' with { type: 'json' };
import remixConfig from './remix.config.js';
import { brand } from './tools/build/vite-plugins/brand.ts';
import { buildInfo } from './tools/build/vite-plugins/build-info.ts';
import { checkedOperations } from './tools/build/vite-plugins/checked-operations.ts';
import { checkedTexts } from './tools/build/vite-plugins/checked-texts.ts';
import { clientChunks } from './tools/build/vite-plugins/client-chunks.ts';
import { compressedFiles } from './tools/build/vite-plugins/compressed-files.ts';
import { developmentSite } from './tools/build/vite-plugins/development-site.ts';
import { iconCollections } from './tools/build/vite-plugins/icon-collections.ts';
import { siteFonts } from './tools/build/vite-plugins/site-fonts.ts';
import { sourceExcerpt } from './tools/build/vite-plugins/source-excerpt.ts';
import { usedIcons } from './tools/build/vite-plugins/used-icons.ts';

/** The condition in the `exports` of this repository's libraries that leads to their sources. */
const SOURCE = '@tenfold/source';

declare module '@remix-run/server-runtime' {
  interface Future {
    v3_singleFetch: true;
  }
}

/**
 * Remix's walk for critical CSS in development finds the server's modules, and Vite would prepare what they import for
 * the browser, load the page anew, or fail. Everything that the site depends on is the server's alone, but for these.
 * `cookie` is one because Remix's own browser code imports it.
 */
const inBrowser = [
  '@remix-run/react',
  'cookie',
  'i18next',
  'react',
  'react-dom',
  'react-i18next',
  'react-router-dom',
];
const serverOnly = [packageJson, ...readdirSync('packages').map(packageOf)]
  .flatMap(({ dependencies }) => Object.keys(dependencies))
  .filter((name) => !inBrowser.includes(name));

function packageOf(folder: string): { dependencies: object } {
  return { dependencies: {}, ...JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) };
}

/**
 * Builds server.ts next to Remix's own server build: `build/server/server.js` is what production runs,
 * `build/server/index.js` what any other Remix server can.
 */
function productionServer(): Plugin {
  return {
    name: 'tenfold:production-server',
    apply: 'build',
    // After remix(), which sets `input` as a single entry.
    enforce: 'post',
    config: (_config, { isSsrBuild }) =>
      isSsrBuild
        ? {
            ssr: { noExternal: true },
            define: { 'process.env.NODE_ENV': '"production"' },
            build: {
              // undici requires a part of Node in a `try`, which its WebSocket needs.
              commonjsOptions: { ignoreTryCatch: (id) => !id.startsWith('node:') },
              rollupOptions: {
                input: { server: './server.ts', index: './app/server/standalone-build.ts' },
                output: { entryFileNames: '[name].js' },
              },
            },
          }
        : undefined,
  };
}

/**
 * Warnings without consequences: the empty client chunk of a resource route, and zod's comments that mention
 * `@__PURE__` in running text.
 */
function isExpectedWarning({ code, id }: Rollup.RollupLog): boolean {
  if (code === 'EMPTY_BUNDLE') return true;
  return code === 'INVALID_ANNOTATION' && (id?.includes('/node_modules/') ?? false);
}

/** What is written while the site runs. None of it is code, and each change would load every open page's data anew. */
const writtenAtRun = ['build', 'test-results', '.local-cloud'];

export default defineConfig({
  plugins: [
    // The browser's bundle must not contain server code: a module that would bring it there fails the build.
    denyImports({
      client: { files: ['**/app/server/**', '**/packages/*/src/**'] },
    }),
    checkedTexts('public/locales'),
    checkedOperations('app'),
    brand(),
    usedIcons(),
    siteFonts(),
    sourceExcerpt(),
    developmentSite(),
    remix(remixConfig),
    tailwindcss(),
    productionServer(),
    clientChunks(),
    buildInfo(),
    compressedFiles('build/client'),
    iconCollections('build/server/icons'),
  ],
  resolve: {
    alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) },
    conditions: [SOURCE, ...defaultClientConditions],
  },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
  // Milliseconds; HTTP dates have whole seconds.
  define: { 'import.meta.env.BUILT_AT': Math.floor(Date.now() / 1000) * 1000 },
  server: { watch: { ignored: writtenAtRun.map((folder) => `**/${folder}/**`) } },
  build: {
    target: 'es2022',
    sourcemap: false,
    // Vite preloads by links in the head, where React must not find anything that the server has not written.
    modulePreload: { resolveDependencies: () => [] },
    rollupOptions: {
      onwarn: (warning, warn) => (isExpectedWarning(warning) ? undefined : warn(warning)),
    },
  },
  optimizeDeps: {
    include: ['cookie', 'i18next', 'react-i18next'],
    exclude: serverOnly,
  },
});
