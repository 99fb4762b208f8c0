/**
 * Published advisories of development packages that have no fixed release, or none that the packages above them accept.
 * security/advisories.json names these tests.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { resolveConfig } from 'vite';
import { describe, expect, it } from 'vitest';
import { requireAs } from '../../support/advisories/installed-package.ts';

describe('GHSA-gv7w-rqvm-qjhr: esbuild', () => {
  it('runs without a request to the registry that NPM_CONFIG_REGISTRY names', async () => {
    const requests: string[] = [];
    const registry = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    const address = registry.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const code = "require('esbuild').transformSync('const a: number = 1', { loader: 'ts' }).code";
    const output = execFileSync(process.execPath, ['-p', code], {
      env: { ...process.env, NPM_CONFIG_REGISTRY: url, npm_config_registry: url },
      encoding: 'utf8',
    });
    await fetch(`${url}control`);
    registry.close();
    expect(output).toContain('const a = 1');
    expect(requests, 'the registry can be reached').toEqual(['/control']);
    expect(readdirSync('node_modules/esbuild', { recursive: true }).filter(isDenoModule)).toEqual([]);
  });
});

describe('GHSA-vfj7-8cjw-p6xm: braces', () => {
  it('overflows the stack for deeply nested braces (control), which no pattern of the build has', () => {
    const braces = requireAs(['vite-env-only', 'micromatch'], 'braces') as (pattern: string) => string[];
    expect(() => braces('{'.repeat(4500) + '}'.repeat(4500))).toThrow('Maximum call stack size exceeded');
    const [, patterns = ''] = /denyImports\((.*)\)/.exec(readFileSync('vite.config.ts', 'utf8')) ?? [];
    const strings = patterns.match(/'[^']*'/g) ?? [];
    expect(strings.length).toBeGreaterThan(0);
    expect(strings.filter((pattern) => pattern.includes('{'))).toEqual([]);
  });
});

describe('GHSA-82fw-gwwq-j7x9: @vitest/mocker', () => {
  it('reads a file through the mock interceptor (control), which no configuration of the project loads', async () => {
    expect(await readThroughInterceptor('package.json')).toContain('"name": "tenfold"');
    const { plugins } = await resolveConfig({ configFile: 'vite.config.ts' }, 'serve');
    expect(plugins.map(({ name }) => name)).not.toContain('vitest:mocks:interceptor');
    const ofVitest = readdirSync('node_modules/vitest/dist', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .filter((file) =>
        /interceptorPlugin/.test(readFileSync(join('node_modules/vitest/dist', file), 'utf8')),
      );
    expect(ofVitest).toEqual([]);
  });
});

const isDenoModule = (file: string | Buffer) => /deno|\bmod\.js/i.test(String(file));

type Interceptor = {
  load: { handler(id: string): Promise<string | undefined> };
  configureServer(server: object): void;
};

/** Registers a mock that redirects to `file`, as a message of any web socket client can, and loads it. */
async function readThroughInterceptor(file: string): Promise<string | undefined> {
  const path = resolve('node_modules/@vitest/mocker/dist/node.js');
  // The package has types of its own, but only Vitest may import it.
  const mocker = (await import(/* @vite-ignore */ path)) as { interceptorPlugin(): Interceptor };
  const plugin = mocker.interceptorPlugin();
  const listeners = new Map<string, (event: object) => void>();
  const on = (name: string, listener: (event: object) => void) => listeners.set(name, listener);
  plugin.configureServer({ ws: { on, send() {} }, config: { root: process.cwd() } });
  const mock = { type: 'redirect', raw: 'server.ts', id: 'server.ts', url: 'server.ts' };
  listeners.get('vitest:interceptor:register')?.({ ...mock, redirect: `http://localhost/${file}` });
  return plugin.load.handler('server.ts');
}
