/** A Vite plugin: the icons that the site names in its code, drawn from the installed collection. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { iconToSVG } from '@iconify/utils/lib/svg/build';
import type { Plugin } from 'vite';
import { createInstalledIcons } from '../../app/server/icons/installed-icons.ts';

const MODULE = 'virtual:used-icons';
const RESOLVED = `\0${MODULE}`;
const APP = fileURLToPath(new URL('../../app', import.meta.url));

export type UsedIcon = { viewBox: string; body: string };

/**
 * Gives `virtual:used-icons`: what stands as `'lucide:{name}'` in a string anywhere below `app/`, and nothing else of
 * the collection. A name that Lucide does not have fails the build; in development a new name is there at once.
 */
export function usedIcons(): Plugin {
  const named = () => new Set(sourceFiles().flatMap((file) => namesIn(readFileSync(file, 'utf8'))));
  let written = new Set<string>();
  return {
    name: 'tenfold:used-icons',
    resolveId: (id) => (id === MODULE ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      written = named();
      return `export const usedIcons = ${JSON.stringify(drawIcons(written))};`;
    },
    async hotUpdate({ file, modules, read }) {
      const module = this.environment.moduleGraph.getModuleById(RESOLVED);
      if (!module || !isSource(file) || !file.startsWith(APP)) return;
      const names = namesIn(await read());
      return names.every((name) => written.has(name)) ? undefined : [...modules, module];
    },
  };
}

/** The icons with these names by their full names, sorted. Throws for one that Lucide does not have. */
export function drawIcons(names: Iterable<string>): Record<string, UsedIcon> {
  const installed = createInstalledIcons();
  const drawn = [...names].sort().map((id): [string, UsedIcon] => {
    const icon = installed.find({ collection: 'lucide', name: id.slice('lucide:'.length) });
    if (!icon) throw new Error(`Lucide has no icon ${id}.`);
    const { body, attributes } = iconToSVG(icon);
    return [id, { viewBox: attributes.viewBox, body }];
  });
  return Object.fromEntries(drawn);
}

/** Every `lucide:{name}` that is the whole of a string literal. */
export function namesIn(source: string): string[] {
  return [...source.matchAll(/(['"`])(lucide:[a-z0-9-]+)\1/g)].map(([, , name = '']) => name);
}

function sourceFiles(): string[] {
  return readdirSync(APP, { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((file) => join(APP, file));
}

function isSource(file: string): boolean {
  return /\.tsx?$/.test(file);
}
