/** The container image without a container engine: what the last stage of the Dockerfile copies, sets and starts. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export type ContainerImage = {
  environment: Record<string, string>;
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
  /** Copies the image's files into an empty directory. */
  copyFilesTo(directory: string): void;
};

type Instruction = { name: string; text: string };

/** Reads the last stage of the Dockerfile in the working directory. */
export function readContainerImage(): ContainerImage {
  const instructions = lastStageOf(readFileSync('Dockerfile', 'utf8'));
  const all = (name: string) =>
    instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
  const one = (name: string) => all(name).at(-1) ?? '';
  const workingDirectory = one('WORKDIR');
  return {
    environment: Object.fromEntries(
      all('ENV')
        .flatMap((text) => text.split(/\s+/))
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    user: one('USER'),
    command: JSON.parse(one('CMD')),
    healthCheck: JSON.parse(one('HEALTHCHECK').replace(/^.*?\bCMD\b/, '')),
    copyFilesTo(directory) {
      for (const text of all('COPY')) copy(text, { directory, workingDirectory });
      for (const text of all('RUN')) {
        for (const [, path = ''] of text.matchAll(/\bmkdir (\S+)/g)) mkdirSync(join(directory, path));
      }
    },
  };
}

function lastStageOf(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const instructions = lines.map((line) => {
    const [, name = '', text = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { name, text };
  });
  return instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM') + 1);
}

/** Follows `COPY [--from=build] SOURCE… TARGET`. The working directory stands for the build stage's, too. */
function copy(
  text: string,
  { directory, workingDirectory }: { directory: string; workingDirectory: string },
) {
  const paths = text.split(/\s+/).filter((word) => !word.startsWith('--'));
  const target = paths.pop() ?? '';
  for (const path of paths) {
    const source = path.startsWith('/') ? relative(workingDirectory, path) : path;
    const to = target.endsWith('/') ? join(directory, target, source) : join(directory, target);
    cpSync(source, to, {
      recursive: true,
      // Not part of a fresh build: a site that ran here wrote it.
      filter: (file) => file !== join('build', 'kept'),
    });
  }
}
