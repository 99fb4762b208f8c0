import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, createServer, type InlineConfig } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { checkedOperations } from '../vite-plugins/checked-operations.ts';

it.each([
  [
    'a field that is not in the schema',
    'query A {\n  listMessages {\n    total\n  }\n}',
    '3:5: Cannot query',
  ],
  [
    'a missing argument',
    'mutation A {\n  createMessage {\n    id\n  }\n}',
    '2:3: Field "createMessage" argument "content"',
  ],
  ['no end', 'query A {\n  listMessages {\n', '3:1: Syntax Error'],
  ['no name', '\n{\n  listMessages {\n    nextToken\n  }\n}', '2:1: Every operation'],
  [
    'a subscription of two fields',
    'subscription A {\n  recordsErased\n  b: recordsErased\n}',
    '3:3: Subscription "A" must select only one',
  ],
])(
  'build and development server fail for a document with %s, and name file and line',
  async (_what, text, problem) => {
    const directory = mkdtempSync(join(tmpdir(), 'operations-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'broken.graphql');
    writeFileSync(file, text);
    const options: InlineConfig = {
      configFile: false,
      logLevel: 'silent',
      plugins: [checkedOperations(directory)],
    };
    await expect(build(options)).rejects.toThrow(`${file}:${problem}`);
    await expect(createServer(options)).rejects.toThrow(`${file}:${problem}`);
  },
);
