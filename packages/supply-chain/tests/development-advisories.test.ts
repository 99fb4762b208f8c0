/**
 * Published advisories of development packages that have no fixed release, or none that the packages above them accept.
 * security/advisories.json names these tests.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requireAs } from '../../../tests/support/advisories/installed-package.ts';

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

const isDenoModule = (file: string | Buffer) => /deno|\bmod\.js/i.test(String(file));
