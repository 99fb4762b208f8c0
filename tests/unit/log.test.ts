import { spawnSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { createLog, writeGathered } from '../../app/server/log.server.ts';

describe('lines of the log', () => {
  it('are written by one call when they come at about the same time, in their order', async () => {
    const writes: string[] = [];
    const log = createLog('info', writeGathered({ write: (text) => void writes.push(text) }));
    const messages = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    for (const message of messages) log.info(message);
    await vi.waitFor(() => expect(writes).toHaveLength(1));
    const written = writes.join('').trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(messages);
  });

  it.each([
    ['ends', 'process.exit(0)'],
    ['ends by an error that nobody caught', 'throw new Error("out of the blue")'],
  ])('are written too when the process %s right after them', (_how, end) => {
    const program = `
      import { createLog } from './app/server/log.server.ts';
      createLog('info').info('last words');
      ${end}`;
    const { stdout } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toMatchObject({ level: 'info', msg: 'last words' });
  });
});
