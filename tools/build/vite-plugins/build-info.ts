/**
 * A Vite plugin that writes what a build was made from: `build/build-info.json`, and for visitors the licenses of all
 * packages in it, `build/client/licenses.txt`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Plugin, Rollup } from 'vite';
import { z } from 'zod';
import { siteName } from '../../../app/site-name.ts';
import { licenseFile } from '../licenses/license-file.ts';
import { readPackageLicense } from '../licenses/package-license.ts';
import { contentFolders, packageFolders } from '../licenses/shipped-packages.ts';

const BUILD_INFO = 'build/build-info.json';
const LICENSE_OF_SITE = 'LICENSE';
const LICENSES_PATH = '/licenses.txt';

/** What the client's build leaves for the server's, which follows it in another configuration of Vite. */
const clientInfo = z.object({ clientFolders: z.array(z.string()) });

export function buildInfo(): Plugin {
  let isServerBuild = false;
  let folders: string[] = [];
  return {
    name: 'tenfold:build-info',
    config(_config, { isSsrBuild }) {
      isServerBuild = isSsrBuild ?? false;
    },
    generateBundle(_options, bundle) {
      folders = packageFolders(modulesOf(bundle));
    },
    writeBundle() {
      if (!isServerBuild) return writeJson(BUILD_INFO, { clientFolders: folders });
      const { clientFolders } = clientInfo.parse(JSON.parse(readFileSync(BUILD_INFO, 'utf8')));
      writeInfo({ client: clientFolders, server: folders, content: contentFolders() });
    },
    // In development the file has the license of the site only: nothing is bundled.
    configureServer({ middlewares }) {
      middlewares.use(LICENSES_PATH, (_request, response) => {
        response.setHeader('content-type', 'text/plain; charset=utf-8');
        response.end(readFileSync(LICENSE_OF_SITE));
      });
    },
  };
}

/** The modules of a bundle without those of which nothing is left in it. */
function modulesOf(bundle: Rollup.OutputBundle): string[] {
  return Object.values(bundle).flatMap((file) =>
    file.type === 'chunk'
      ? Object.entries(file.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? id : []))
      : [],
  );
}

function writeInfo(parts: Record<string, readonly string[]>): void {
  const packages = [...new Set(Object.values(parts).flat())].sort().map((folder) => ({
    ...readPackageLicense(folder),
    in: Object.keys(parts).filter((part) => parts[part]?.includes(folder)),
  }));
  writeJson(BUILD_INFO, {
    node: process.version,
    packages: packages.map(({ text, ...listed }) => listed),
  });
  const siteLicense = readFileSync(LICENSE_OF_SITE, 'utf8');
  writeFileSync(`build/client${LICENSES_PATH}`, licenseFile(siteName, siteLicense, packages));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
