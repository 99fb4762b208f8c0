import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportOfPeers } from '../../../bench/peers.ts';

describe('the figures of peers', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'peers-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const givenReport = (program: string) => {
    mkdirSync(join(folder, 'tools'));
    writeFileSync(join(folder, 'tools', 'report.mjs'), program);
  };

  it('are what the report of their folder prints', () => {
    givenReport(`console.log('\\n| peer | 1200 |\\n')`);
    expect(reportOfPeers(folder)).toBe('| peer | 1200 |');
  });

  it.each([
    ['fails', `throw new Error('no results')`, /measured\?\s[\s\S]*no results/],
    ['prints nothing', '', /measured\?/],
  ])('are asked for anew when the report %s', (_how, program, message) => {
    givenReport(program);
    expect(() => reportOfPeers(folder)).toThrow(message);
  });

  it('are missed before anything is measured when the folder is another one', () => {
    expect(() => reportOfPeers(folder)).toThrow(`PEERS: ${folder} has no tools/report.mjs.`);
  });
});
