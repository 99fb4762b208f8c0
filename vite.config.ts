import { fileURLToPath } from 'node:url';
import { vitePlugin as remix } from '@remix-run/dev';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin, type Rollup } from 'vite';
import { denyImports } from 'vite-env-only';
import packageJson from './package.json' with { type: 'json' };
import { brand } from './packages/site-build/vite-plugins/brand.ts';
import { buildInfo } from './packages/site-build/vite-plugins/build-info.ts';
import { checkedTexts } from './packages/site-build/vite-plugins/checked-texts.ts';
import { clientChunks } from './packages/site-build/vite-plugins/client-chunks.ts';
import { compressedFiles } from './packages/site-build/vite-plugins/compressed-files.ts';
import { iconCollections } from './packages/site-build/vite-plugins/icon-collections.ts';
import { shareImages } from './packages/site-build/vite-plugins/share-images.ts';
import { siteFonts } from './packages/site-build/vite-plugins/site-fonts.ts';
import { sourceExcerpt } from './packages/site-build/vite-plugins/source-excerpt.ts';
import { usedIcons } from './packages/site-build/vite-plugins/used-icons.ts';
import remixConfig from './remix.config.js';

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
const serverOnly = Object.keys(packageJson.dependencies).filter((name) => !inBrowser.includes(name));

/** server.ts is the server in development too: Vite hands it every request that is not its own. */
function developmentServer(): Plugin {
  return {
    name: 'tenfold:development-server',
    apply: 'serve',
    configureServer(vite) {
      return () => {
        vite.middlewares.use(async (request, response, next) => {
          try {
            const { developmentHandler } = await vite.ssrLoadModule('./server.ts');
            request.url = request.originalUrl ?? request.url;
            await developmentHandler(request, response, next);
          } catch (error) {
            next(error);
          }
        });
      };
    },
  };
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

/** In seconds, as `SOURCE_DATE_EPOCH` is: builds with the same one have the same bytes. */
const builtAt = Number(process.env.SOURCE_DATE_EPOCH || Math.floor(Date.now() / 1000));
if (!Number.isInteger(builtAt)) throw new Error('SOURCE_DATE_EPOCH must be a whole number of seconds.');

/** What is written while the site runs. None of it is code, and each change would load every open page's data anew. */
const writtenAtRun = ['build', 'test-results', '.local-cloud'];

export default defineConfig({
  plugins: [
    // The browser's bundle must not contain server code: a module that would bring it there fails the build.
    denyImports({ client: { files: ['**/app/server/**', '**/packages/local-cloud/**'] } }),
    checkedTexts('public/locales'),
    brand(),
    shareImages(),
    usedIcons(),
    siteFonts(),
    sourceExcerpt(),
    developmentServer(),
    remix(remixConfig),
    tailwindcss(),
    productionServer(),
    clientChunks(),
    buildInfo(builtAt),
    compressedFiles('build/client'),
    iconCollections('build/server/icons'),
  ],
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  // Milliseconds.
  define: { 'import.meta.env.BUILT_AT': builtAt * 1000 },
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
