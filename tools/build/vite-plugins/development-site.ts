/** A Vite plugin for `npm run dev`: server.ts answers, and a change of any file of the site is seen without a restart. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EnvironmentModuleNode, Plugin, ViteDevServer } from 'vite';
import { buildSiteSchema, SCHEMA } from '../site-schema.ts';
import { parseFile } from '../texts/parse-file.ts';

/** What `createDevelopmentSite` of server.ts returns. */
type Site = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  stop(): Promise<void>;
};

const TEXTS = 'public/locales/';
/** What the local cloud reads. `tools/dev.mjs` starts it again. */
const CLOUD_FILES = /^(?:schema\.graphql$|infra\/)/;

/**
 * Vite hands server.ts every request that is not its own. After a change of a module of the server, or of a text, the next
 * request gets a new site. The previous one is stopped first, so that its timers and connections end.
 */
export function developmentSite(): Plugin {
  let site: Site | undefined;
  let createdBy: unknown;
  let areTextsCurrent = true;
  let opening: Promise<Site | undefined> = Promise.resolve(undefined);
  let clientModules: (path: string) => EnvironmentModuleNode[] = () => [];

  async function stop(): Promise<void> {
    const stopped = site;
    site = undefined;
    await stopped?.stop();
  }

  async function open(vite: ViteDevServer): Promise<Site> {
    const { createDevelopmentSite } = await vite.ssrLoadModule('./server.ts');
    if (site && createdBy === createDevelopmentSite && areTextsCurrent) return site;
    await stop();
    areTextsCurrent = true;
    createdBy = createDevelopmentSite;
    const opened: Site = await createDevelopmentSite();
    site = opened;
    return opened;
  }

  /** By file: the code that browsers have. Vite forgets it when the file changes. */
  const codes = new Map<string, (string | undefined)[]>();

  return {
    name: 'tenfold:development-site',
    apply: 'serve',
    configureServer(vite) {
      clientModules = (file) => [...(vite.environments.client.moduleGraph.getModulesByFile(file) ?? [])];
      return () => {
        vite.middlewares.use(async (request, response, next) => {
          try {
            opening = opening.catch(() => undefined).then(() => open(vite));
            request.url = request.originalUrl ?? request.url;
            (await opening)?.handle(request, response);
          } catch (error) {
            next(error);
          }
        });
      };
    },
    // Vite calls this before it forgets the code of the file, and `hotUpdate` afterwards.
    watchChange(path) {
      codes.set(path, clientModules(path).map(codeOf));
    },
    async hotUpdate({ file: path, modules, server }) {
      if (this.environment.name !== 'ssr') return;
      const file = relative(server.config.root, path).split(sep).join('/');
      const say = (text: string) => server.config.logger.info(text, { timestamp: true });
      if (CLOUD_FILES.test(file)) {
        // With a mistake, which is reported, it goes on with the schema of before.
        if (file === SCHEMA && !(await becomes(() => buildSiteSchema().schema !== undefined))) return;
        say(`local cloud restart ${file}`);
        process.send?.({ changed: file });
        return;
      }
      if (file.startsWith(TEXTS)) {
        // The texts of before stay until the file can be read.
        if (!(await becomes(() => canParse(path)))) return;
        areTextsCurrent = false;
      } else if (modules.length === 0 || (await changesBrowserCode(path, server))) {
        return;
      }
      say(`page reload ${file}`);
      server.environments.client.hot.send({ type: 'full-reload', path: '*' });
    },
    // Vite also closes when it starts again with another configuration.
    closeBundle: stop,
  };

  /**
   * Whether browsers have to get a file anew, as after a change of a component. Vite replaces it in open pages, and does
   * nothing about what only the server has: a loader, for example.
   */
  async function changesBrowserCode(path: string, { environments }: ViteDevServer): Promise<boolean> {
    const before = codes.get(path) ?? [];
    const modules = clientModules(path).map((module, index) => ({ module, before: before[index] }));
    // Remix also looks for styles in modules of the server, which no browser has.
    const inBrowsers = modules.filter((candidate) => candidate.before !== undefined);
    try {
      await Promise.all(inBrowsers.map(({ module }) => environments.client.transformRequest(module.url)));
    } catch {
      // Vite reports a mistake in the file when a browser requests it.
      return true;
    }
    return inBrowsers.some((candidate) => codeOf(candidate.module) !== candidate.before);
  }
}

/** Vite adds times to the imports of what has changed earlier. */
function codeOf({ transformResult }: EnvironmentModuleNode): string | undefined {
  return transformResult?.code.replace(/[?&]t=\d+/g, '');
}

/** Whether a file is correct. An editor may empty it before it writes it, so that one with a mistake is read again. */
async function becomes(isCorrect: () => boolean, triesLeft = 5): Promise<boolean> {
  if (isCorrect()) return true;
  if (triesLeft === 0) return false;
  await delay(100);
  return becomes(isCorrect, triesLeft - 1);
}

function canParse(path: string): boolean {
  try {
    parseFile(path);
    return true;
  } catch {
    return false;
  }
}
