/** The tags of the stack. CloudFormation passes them on to its resources. */
import type { Tag } from '@aws-sdk/client-cloudformation';
import { CommandError } from '../command/command-error.ts';
import { OWNER_TAG } from './stack.ts';

/** AWS reserves tags for itself, and one is that of this command. */
const MAX_TAGS = 49;

/**
 * The tags of `--tag KEY=VALUE`, the last one for each key. An empty value removes the tag. Throws `CommandError` for a tag
 * that AWS does not accept.
 */
export function parseTags(given: readonly string[]): Map<string, string> {
  return new Map(given.map(parseTag));
}

function parseTag(text: string): [string, string] {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const isReserved = /^aws:/i.test(key) || key === OWNER_TAG.Key;
  if (
    /^[\p{L}\p{N} _.:/+@-]{1,128}$/u.test(key) &&
    /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u.test(value) &&
    !isReserved
  ) {
    return [key, value];
  }
  throw new CommandError(
    `--tag must be KEY=VALUE with letters, digits, spaces and _.:/+@-, at most 128 and 256 characters, and a key that does not start with aws: and is not ${OWNER_TAG.Key}.`,
    2,
  );
}

/** The tag of this command, the deployed tags, and those of the command line instead of deployed ones. */
export function mergeTags(given: ReadonlyMap<string, string>, deployed: readonly Tag[]): Tag[] {
  const present = deployed.map(({ Key = '', Value = '' }) => [Key, Value] as const);
  const merged = new Map([...present, ...given]);
  merged.delete(OWNER_TAG.Key);
  const tags = [...merged].filter(([, value]) => value !== '').map(([Key, Value]) => ({ Key, Value }));
  if (tags.length <= MAX_TAGS) return [OWNER_TAG, ...tags];
  throw new CommandError(`A stack can have ${MAX_TAGS} tags beside the one of this command.`, 2);
}
