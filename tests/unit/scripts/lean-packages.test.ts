import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { describe, expect, it } from 'vitest';
import { asModule, leanPackages } from '../../../scripts/lean-packages.ts';

const require = createRequire(import.meta.url);

const entryId = join(import.meta.dirname, 'lean-packages-entry.js');

const client = `
  export { Form, Link, RemixBrowser } from '@remix-run/react';
  export { jsx } from 'react/jsx-runtime';
  export { hydrateRoot } from 'react-dom/client';
`;

/** What the browser gets of an entry with this code. */
async function bundle(code: string, plugins: Plugin[]): Promise<string> {
  const entry: Plugin = {
    name: 'entry',
    resolveId: (id) => (id === 'entry' ? entryId : null),
    load: (id) => (id === entryId ? code : null),
  };
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [entry, ...plugins],
    build: {
      write: false,
      minify: false,
      rollupOptions: { input: 'entry', preserveEntrySignatures: 'strict' },
    },
  });
  const [built] = Array.isArray(output) ? output : [output];
  if (!built || !('output' in built)) throw new Error('Nothing was built.');
  return built.output[0].code;
}

/** A package's file as another version may have it. */
function otherText(file: string, text: string): Plugin {
  return {
    name: 'other-text',
    enforce: 'pre',
    load: (id) =>
      id.endsWith(`/node_modules/${file}`) ? readFileSync(id, 'utf8').replaceAll(text, 'other') : null,
  };
}

describe('the packages in the browser', () => {
  const needed = ['hydrateRoot', 'useSyncExternalStore', '_routes'];
  const unused = [
    'unmountComponentAtNode',
    'cloneElement',
    '__deferred_promise:',
    'entry.module',
    'aria-current',
  ];

  it('are without what nobody can reach', async () => {
    const [whole, lean] = [
      await bundle(client, []),
      await bundle(client, [leanPackages({ singleFetch: true })]),
    ];
    expect(needed.filter((text) => lean.includes(text))).toEqual(needed);
    expect(unused.filter((text) => whole.includes(text))).toEqual(unused);
    expect(unused.filter((text) => lean.includes(text))).toEqual([]);
  });

  it('keep the old protocol where single fetch is off', async () => {
    expect(await bundle(client, [leanPackages({ singleFetch: false })])).toContain('__deferred_promise:');
  });

  it.each([
    ['react/index.js', "'./cjs/react.production.min.js'"],
    ['react-router-dom/dist/index.js', 'React[USE_ID]'],
    ['@remix-run/react/dist/esm/routes.js', 'typeof singleFetch === "function"'],
    ['@remix-run/react/dist/esm/errorBoundaries.js', 'renderScripts ?'],
  ])('cannot be built when %s is without %s', async (file, text) => {
    const plugins = [otherText(file, text), leanPackages({ singleFetch: true })];
    await expect(bundle(client, plugins)).rejects.toThrow('any more.');
  });

  it('cannot be built when a file has another place', async () => {
    const plugins = [leanPackages({ singleFetch: true })];
    const missing = 'Not in the build any more: @remix-run/react/dist/esm/routes.js';
    const withoutRemix = `${client.replace(/^.*RemixBrowser.*$/m, '')} export { Link } from 'react-router-dom';`;
    await expect(bundle(withoutRemix, plugins)).rejects.toThrow(missing);
  });
});

describe('a CommonJS file as a module', () => {
  it.each(['react/cjs/react.production.min.js', 'scheduler/cjs/scheduler.production.min.js'])(
    'exports what %s does',
    async (file) => {
      const path = join('node_modules', file);
      const code = asModule(readFileSync(path, 'utf8'));
      const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
      const original = require(join(process.cwd(), path));
      expect(Object.keys(module).sort()).toEqual(Object.keys(original).sort());
      for (const [name, value] of Object.entries(original)) expect(typeof module[name]).toBe(typeof value);
    },
  );

  it('imports what the file requires', () => {
    const code = asModule(
      'var a=require("react"),b=require("scheduler"),c=1;exports.d=function(){return a.e(b,c)};',
    );
    expect(code).toBe(
      `import * as a from 'react';import * as b from 'scheduler';var c=1;var exports_d=function(){return a.e(b,c)};\nexport { exports_d as d };`,
    );
  });

  it.each(['module.exports = 1;', 'exports["a"]=1;', 'if (a) require("b");'])(
    'is refused with %s',
    (code) => {
      expect(() => asModule(code)).toThrow('no module can take over');
    },
  );
});
