// Of React and Remix the browser gets what this site can reach. The packages are pinned: what no longer fits them fails the build.
import type { Plugin } from 'vite';

type Change = (code: string) => string;

/**
 * Lets the bundler leave out what nobody uses of React, which comes as CommonJS, and what in Remix hangs on conditions
 * that are settled before the build. `singleFetch` is Remix's future flag. Only for the browser's production build.
 */
export function leanPackages({ singleFetch }: { singleFetch: boolean }): Plugin {
  const changes = new Map([...reactAsModules, ...settledIn({ singleFetch })]);
  const changed = new Set<string>();
  return {
    name: 'tenfold:lean-packages',
    enforce: 'pre',
    apply: (_config, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    transform(code, id) {
      const file = id.split('/node_modules/').at(-1) ?? '';
      const change = changes.get(file);
      if (!change) return null;
      changed.add(file);
      return { code: change(code), map: null };
    },
    buildEnd(error) {
      const missed = [...changes.keys()].filter((file) => !changed.has(file));
      if (!error && missed.length > 0) this.error(`Not in the build any more: ${missed.join(', ')}`);
    },
  };
}

const reactAsModules: [file: string, Change][] = [
  ['react/index.js', productionFile],
  ['react/cjs/react.production.min.js', asModule],
  ['react/jsx-runtime.js', productionFile],
  ['react/cjs/react-jsx-runtime.production.min.js', asModule],
  ['react-dom/index.js', productionFile],
  ['react-dom/client.js', () => "export { createRoot, hydrateRoot } from './index.js';"],
  ['react-dom/cjs/react-dom.production.min.js', asModule],
  ['scheduler/index.js', productionFile],
  ['scheduler/cjs/scheduler.production.min.js', asModule],
  // Written so that no bundler can see which of React's functions are meant; before React 18 they were not there.
  ['react-router/dist/index.js', replacing({ 'React[START_TRANSITION]': 'React.startTransition' })],
  [
    'react-router-dom/dist/index.js',
    replacing({
      'React[START_TRANSITION]': 'React.startTransition',
      'React[USE_ID]': 'React.useId',
      'ReactDOM[FLUSH_SYNC]': 'ReactDOM.flushSync',
    }),
  ],
];

function settledIn({ singleFetch }: { singleFetch: boolean }): [file: string, Change][] {
  const remix = '@remix-run/react/dist/esm';
  return [
    // With single fetch every handler is given the function that asks the server, without it none: that is the old protocol.
    [`${remix}/routes.js`, replacing({ 'typeof singleFetch === "function"': `${singleFetch}` })],
    // This shell is shown only where the root's `Layout` is not, and scripts are asked for only within it.
    [`${remix}/errorBoundaries.js`, replacing({ 'renderScripts ?': 'false ?' })],
    // A name for developers, and all that keeps a component which nobody uses.
    [`${remix}/components.js`, replacing({ 'NavLink.displayName = "NavLink";': '' })],
  ];
}

/** What a package's `index.js` chooses in production, chosen. */
function productionFile(code: string): string {
  const [, file] = /module\.exports = require\('(\.\/cjs\/[\w-]+\.production\.min\.js)'\)/.exec(code) ?? [];
  if (!file) throw new Error('No production file is required here any more.');
  return `export * from '${file}';`;
}

/** A minified CommonJS file as an ES module. Each thing that it exports is a variable, and can be left out alone. */
export function asModule(code: string): string {
  const imports: string[] = [];
  const names = new Set<string>();
  const body = code
    .replace(/\bvar ((?:\w+=require\("[\w-]+"\),?)+)(;?)/g, (_, required: string, end: string) => {
      for (const [, name, source] of required.matchAll(/(\w+)=require\("([\w-]+)"\)/g)) {
        imports.push(`import * as ${name} from '${source}';`);
      }
      return end ? '' : 'var ';
    })
    .replace(/([;{}]\s*)exports\.(\w+)=(?!=)/g, '$1var exports.$2=')
    .replace(/\bexports\.(\w+)/g, (_, name: string) => {
      names.add(name);
      return `exports_${name}`;
    });
  const left = /\b(?:require|exports|module)\b/.exec(body);
  if (left) throw new Error(`\`${left[0]}\` is used in a way that no module can take over.`);
  const list = [...names].map((name) => `exports_${name} as ${name}`);
  return `${imports.join('')}${body}\nexport { ${list.join(', ')} };`;
}

/** Replaces each text by another, wherever it stands. Throws when one is not there. */
function replacing(texts: Record<string, string>): Change {
  return (code) =>
    Object.entries(texts).reduce((changed, [text, other]) => {
      if (!changed.includes(text)) throw new Error(`\`${text}\` is not there any more.`);
      return changed.replaceAll(text, other);
    }, code);
}
