import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleResolver } from '../resolver-bundle.ts';

const RESPONSE = 'export function response(ctx) {\n  return ctx.result;\n}\n';

/** Writes files into a folder, and returns the path of the first one. */
function write(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'resolvers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, Object.keys(files)[0] ?? '');
}

it('does not change a resolver that imports no other file, but for line ends of Windows', () => {
  const code = `import { util } from '@aws-appsync/utils';\n\n/** Comment. */\nexport function request() {\n  return util.autoId();\n}\n${RESPONSE}`;
  const path = write({ 'Query.a.js': code.replaceAll('\n', '\r\n') });
  expect(bundleResolver(path)).toEqual({ code, files: [path] });
});

it('puts imported files into the resolver, and leaves only the import of AppSync', () => {
  const { code, files } = bundleResolver(
    write({
      'Query.a.js': `import { callerOf } from './caller.js';\nexport function request(ctx) {\n  return callerOf(ctx);\n}\n${RESPONSE}`,
      'caller.js':
        "import { util } from '@aws-appsync/utils';\nimport { NAME } from './name.js';\nexport const callerOf = (ctx) => ctx.identity[NAME] ?? util.unauthorized();\nexport const unused = 1;\n",
      'name.js': "export const NAME = 'sub';\n",
    }),
  );
  expect(code.match(/^import .*/gm)).toEqual(['import { util } from "@aws-appsync/utils";']);
  expect(code).toContain('ctx.identity[NAME] ?? util.unauthorized()');
  expect(code).not.toContain('unused');
  expect(code).toMatch(/^export \{\n {2}request,\n {2}response\n\};$/m);
  expect(files.map((file) => /[\w.]+$/.exec(file)?.[0])).toEqual(['name.js', 'caller.js', 'Query.a.js']);
});

it('names file and line of an import that does not exist', () => {
  const path = write({
    'Query.a.js': `import { callerOf } from './caller.js';\nexport function request() { return callerOf(); }\n${RESPONSE}`,
  });
  expect(() => bundleResolver(path)).toThrow(/Query\.a\.js:1:\d+: ERROR: Could not resolve "\.\/caller\.js"/);
});

it('names file and line of a mistake in a resolver that imports no other file', () => {
  const path = write({ 'Query.a.js': `export function request( {\n${RESPONSE}` });
  expect(() => bundleResolver(path)).toThrow(/Query\.a\.js:2:\d+: ERROR: Expected/);
});
