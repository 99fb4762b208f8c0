import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** One part of the state. Exactly one module reads and changes it. */
export type Section<T> = {
  /** The current value. Modules read it directly and change it only through `change`. */
  readonly value: T;
  /** Runs `mutate` on the value, schedules a write to disk and returns what `mutate` returns. */
  change<R>(mutate: (value: T) => R): R;
};

type SectionDefinition<T> = {
  name: string;
  /** The schema of the section on disk. The value must be the same after a round trip through JSON. */
  schema: z.ZodType<T>;
  initial: () => NoInfer<T>;
  /** Set for keys and client ids, which `/_reset` does not delete. */
  survivesReset?: boolean;
};

export type Store = {
  /**
   * Opens a section with the value that the previous run wrote, or else with its initial value. Throws when the
   * written value does not match the schema.
   */
  section<T>(definition: SectionDefinition<T>): Section<T>;
  /** Sets every section back to its initial value, except those with `survivesReset`. */
  reset(): void;
  /**
   * Writes the state to disk, and from now on every change, 50 ms later. Before this call nothing is written, so that a
   * start of the local cloud that fails leaves the file as it is.
   */
  startWriting(): void;
  /** Writes pending changes to disk at once. */
  flush(): void;
};

const WRITE_DELAY_MS = 50;

/**
 * Opens the local cloud's state, which is the file `state.json` in `directory`. With `null` the state exists in
 * memory only. Changes are written to a temporary file that then replaces the old one, so a crash leaves either
 * the old or the new state. Throws when the existing file is not valid JSON.
 */
export function openStore(directory: string | null): Store {
  const written = directory === null ? {} : readState(directory);
  const sections = new Map<string, OpenSection<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  let isChanged = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isChanged || directory === null) return;
    isChanged = false;
    const values = [...sections].map(([name, { value }]) => [name, value]);
    writeState(directory, { ...written, ...Object.fromEntries(values) });
  }

  function scheduleWrite(): void {
    isChanged = true;
    if (isWriting && directory !== null) timer ??= setTimeout(flush, WRITE_DELAY_MS);
  }

  return {
    section(definition) {
      const section = openSection(definition, written[definition.name], scheduleWrite);
      sections.set(definition.name, section);
      scheduleWrite();
      return section;
    },
    reset() {
      for (const section of sections.values()) section.reset();
      scheduleWrite();
    },
    startWriting() {
      isWriting = true;
      flush();
    },
    flush,
  };
}

type OpenSection<T> = Section<T> & { reset(): void };

function openSection<T>(
  { name, schema, initial, survivesReset }: SectionDefinition<T>,
  written: unknown,
  onChange: () => void,
): OpenSection<T> {
  let value = written === undefined ? initial() : parseSection(name, schema, written);
  return {
    get value() {
      return value;
    },
    change(mutate) {
      onChange();
      return mutate(value);
    },
    reset() {
      if (!survivesReset) value = initial();
    },
  };
}

function parseSection<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(
    `Section "${name}" of the local cloud's state is not valid. Delete the data folder to start with empty state.\n${z.prettifyError(parsed.error)}`,
  );
}

function stateFile(directory: string): string {
  return join(directory, 'state.json');
}

function readState(directory: string): Record<string, unknown> {
  // The state contains private keys and password hashes, so only the current user may read it.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  let written: string;
  try {
    written = readFileSync(stateFile(directory), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(written));
  } catch (cause) {
    throw new Error(`${stateFile(directory)} is not valid JSON. Delete it to start with empty state.`, {
      cause,
    });
  }
}

function writeState(directory: string, state: Record<string, unknown>): void {
  const temporary = `${stateFile(directory)}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
  renameSync(temporary, stateFile(directory));
}
