import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A part of the state that one module owns. */
export type Section<T> = {
  /** What is there now. Read it, change it through `change` alone. */
  readonly value: T;
  /** Runs `mutate` on the value and has it written; answers what `mutate` answers. */
  change<R>(mutate: (value: T) => R): R;
};

export type SectionDefinition<T> = {
  name: string;
  /** What the section looks like on disk. Its value must survive JSON as it is. */
  schema: z.ZodType<T>;
  initial: () => NoInfer<T>;
  /** Keys and client ids outlive `/_reset`; what visitors made does not. */
  outlivesReset?: boolean;
};

export type Store = {
  /** Opens a section, with what an earlier run left in it. Throws when that is not of the section's form. */
  section<T>(definition: SectionDefinition<T>): Section<T>;
  /** Puts every section that does not outlive a reset back to its beginning. */
  reset(): void;
  /** Writes what is not written yet. */
  flush(): void;
};

const WRITE_DELAY_MS = 50;

/**
 * The local cloud's memory: one JSON file in `directory`, written whole to a temporary file and then renamed, so that
 * a crash leaves either the old state or the new. With `null` nothing is written at all. Throws when the file that is
 * there is not JSON.
 */
export function openStore(directory: string | null): Store {
  const onDisk = directory === null ? {} : readState(directory);
  const values = new Map<string, unknown>(Object.entries(onDisk));
  const resets: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    if (timer === undefined || directory === null) return;
    timer = undefined;
    writeState(directory, Object.fromEntries(values));
  }

  function scheduleWrite(): void {
    if (directory !== null) timer ??= setTimeout(flush, WRITE_DELAY_MS);
  }

  return {
    section<T>({ name, schema, initial, outlivesReset = false }: SectionDefinition<T>): Section<T> {
      let value = values.has(name) ? parseSection(name, schema, values.get(name)) : initial();
      values.set(name, value);
      scheduleWrite();
      if (!outlivesReset) {
        resets.push(() => {
          value = initial();
          values.set(name, value);
        });
      }
      return {
        get value() {
          return value;
        },
        change(mutate) {
          scheduleWrite();
          return mutate(value);
        },
      };
    },
    reset() {
      for (const reset of resets) reset();
      scheduleWrite();
    },
    flush,
  };
}

function parseSection<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(
    `The local cloud cannot read "${name}" of its state; delete its data folder to begin afresh.\n${z.prettifyError(parsed.error)}`,
  );
}

function stateFile(directory: string): string {
  return join(directory, 'state.json');
}

function readState(directory: string): Record<string, unknown> {
  // Keys and password hashes are for this user's eyes.
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
    throw new Error(`${stateFile(directory)} is not readable; delete it to begin afresh.`, { cause });
  }
}

function writeState(directory: string, state: Record<string, unknown>): void {
  const temporary = `${stateFile(directory)}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
  renameSync(temporary, stateFile(directory));
}
