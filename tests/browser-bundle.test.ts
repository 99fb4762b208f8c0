import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { pages } from '../app/pages.ts';

describe('the bundle for browsers', () => {
  const assets = 'build/client/assets';

  it('contains nothing of app/server', () => {
    expect(existsSync(assets), 'npm run build comes first').toBe(true);
    const scripts = readdirSync(assets)
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(assets, file), 'utf8'));
    expect(scripts.length).toBeGreaterThan(3);
    for (const marker of [
      'SESSION_SECRETS',
      'x-amz-target',
      'X-Amz-Target',
      'AWS4-HMAC-SHA256',
      'A256GCM',
      'AWSCognitoIdentity',
      'refresh_token',
    ]) {
      expect(
        scripts.some((script) => script.includes(marker)),
        marker,
      ).toBe(false);
    }
  });

  it('has one file with all packages, which imports nothing and does not change with the site', () => {
    const packages = readdirSync(assets).filter((file) => /^packages-.*\.js$/.test(file));
    expect(packages).toHaveLength(1);
    for (const file of packages) {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(assets, file), 'utf8'));
      expect(importedFiles.map(({ fileName }) => fileName)).toEqual([]);
    }
  });

  it('starts without objects of Intl, which a browser is slow to create', () => {
    const entries = readdirSync(assets).filter((file) => /^entry\.client-.*\.js$/.test(file));
    expect(entries).toHaveLength(1);
    for (const file of entries) expect(readFileSync(join(assets, file), 'utf8')).not.toContain('Intl.');
  });

  it('has no source maps', () => {
    expect(readdirSync(assets).filter((file) => file.endsWith('.map'))).toEqual([]);
  });

  it('has one chunk for each page, not one for each route', () => {
    for (const { namespace } of pages) {
      const chunk = new RegExp(`^${namespace}-[\\w-]{8}\\.js$`);
      expect(
        readdirSync(assets).filter((file) => chunk.test(file)),
        namespace,
      ).toHaveLength(1);
    }
  });
});
