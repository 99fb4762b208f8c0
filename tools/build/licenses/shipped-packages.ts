/** The npm packages whose code, fonts, icons or styles a build contains. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = 'node_modules';

/** Every package in these folders is content: the build makes fonts and icons from their files. */
const CONTENT_SCOPES = ['@fontsource-variable', '@iconify-json'];

/** The style sheets of the site contain Tailwind's. Its plugin for Vite inlines them, so that no module shows it. */
const CONTENT_PACKAGES = ['tailwindcss'];

/** Code that tools add to bundles. Its modules have no file. */
const TOOL_MODULES: readonly (readonly [RegExp, string])[] = [
  [/^\0(?:vite\/|commonjs)/, 'vite'],
  [/virtual:remix\//, '@remix-run/dev'],
];

/** Returns the folders of the packages that the modules of a bundle come from. */
export function packageFolders(moduleIds: Iterable<string>): string[] {
  const folders = new Set([...moduleIds].flatMap((id) => folderOf(id) ?? []));
  return [...folders].sort();
}

/** Returns the folders of packages that enter every build as content, without a module. */
export function contentFolders(): string[] {
  const scoped = CONTENT_SCOPES.flatMap((scope) =>
    readdirSync(join(PACKAGES, scope)).map((name) => `${scope}/${name}`),
  );
  return [...scoped, ...CONTENT_PACKAGES].map((name) => join(PACKAGES, name)).sort();
}

/**
 * Returns the folder of the package that a module of a bundle belongs to, from the root of the repository on; null for a
 * module of the site.
 */
function folderOf(moduleId: string): string | null {
  const start = moduleId.indexOf(`/${PACKAGES}/`);
  const [folder] = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/?]+/.exec(moduleId.slice(start + 1)) ?? [];
  if (start !== -1 && folder) return folder;
  const tool = TOOL_MODULES.find(([pattern]) => pattern.test(moduleId));
  return tool ? join(PACKAGES, tool[1]) : null;
}
