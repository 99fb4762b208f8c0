/** A Vite plugin that bundles the icons which the code names, from the installed collection. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { createInstalledIcons } from '../../../app/server/icons/installed-icons.ts';

const MODULE = 'virtual:used-icons';
const RESOLVED = `\0${MODULE}`;
const APP = fileURLToPath(new URL('../../../app', import.meta.url));

/** What Lucide repeats in the markup of each icon. The component that shows icons writes it on the `<svg>` element. */
const STROKE =
  ' fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"';

/**
 * Provides `virtual:used-icons`: every icon that appears as `'lucide:{name}'` in a string below `app/`. A name that Lucide
 * does not have fails the build. In development, new names are added without a restart.
 */
export function usedIcons(): Plugin {
  const findNames = () => new Set(sourceFiles().flatMap((file) => namesIn(readFileSync(file, 'utf8'))));
  let bundled = new Set<string>();
  return {
    name: 'tenfold:used-icons',
    resolveId: (id) => (id === MODULE ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      bundled = findNames();
      return `export const usedIcons = ${JSON.stringify(drawIcons(bundled))};`;
    },
    async hotUpdate({ file, modules, read }) {
      const module = this.environment.moduleGraph.getModuleById(RESOLVED);
      if (!module || !isSource(file) || !file.startsWith(APP)) return;
      const names = namesIn(await read());
      return names.every((name) => bundled.has(name)) ? undefined : [...modules, module];
    },
  };
}

/**
 * The markup of the icons with these full names, sorted by name, without the attributes that all of them have. Throws for
 * a name that Lucide does not have, and for its only icon that is not drawn as the others.
 */
export function drawIcons(names: Iterable<string>): Record<string, string> {
  const installed = createInstalledIcons();
  const drawn = [...names].sort().map((id): [string, string] => {
    const icon = installed.find({ collection: 'lucide', name: id.slice('lucide:'.length) });
    if (!icon) throw new Error(`Lucide has no icon ${id}.`);
    if (!icon.body.includes(STROKE)) throw new Error(`The icon ${id} is not drawn as Lucide's others.`);
    return [id, icon.body.replace(STROKE, '').replace(/^<g>(.*)<\/g>$/, '$1')];
  });
  return Object.fromEntries(drawn);
}

/** Every string literal that consists of `lucide:{name}`. */
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
