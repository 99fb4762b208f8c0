/** The public icon API (Iconify's, or another host of the same protocol), asked by the server on behalf of visitors. */
import type { IconifyJSON } from '@iconify/types';
import { getIconData } from '@iconify/utils/lib/icon-set/get-icon';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Icons } from '../../icons/icon-loader.ts';
import { isIconName } from '../../icons/icon-request.ts';
import { withoutInheritedNames } from './installed-icons.ts';
import { isSafeSvgBody } from './svg-body.ts';

export type AskIconApi = (address: string, collection: string, signal: AbortSignal) => Promise<Icons | null>;

/** What fits into an address comes to a few dozen icons, of a kilobyte each as a rule. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_BODY_LENGTH = 64 * 1024;
/** Long after everybody stopped waiting; what arrives until then is kept. */
const ANSWER_TIMEOUT_MS = 15_000;

const length = z.number().min(-4096).max(4096);
const shape = {
  left: length.exactOptional(),
  top: length.exactOptional(),
  width: length.positive().exactOptional(),
  height: length.positive().exactOptional(),
  rotate: z.number().int().min(-4).max(4).exactOptional(),
  hFlip: z.boolean().exactOptional(),
  vFlip: z.boolean().exactOptional(),
};
const name = z.string().refine(isIconName);
const collectionSchema = z.object({
  ...shape,
  prefix: name,
  icons: z.record(name, z.object({ ...shape, body: z.string().max(MAX_BODY_LENGTH) })),
  aliases: z.record(name, z.object({ ...shape, parent: name })).exactOptional(),
});

/**
 * Asks one address: its icons with aliases resolved, or null for a 404. An icon whose drawing could run, load or link
 * to anything is left out. Rejects for every other status (redirects are not followed), for more than 1 MiB, and for
 * what is not the JSON of that very collection.
 */
export function createAskIconApi(): AskIconApi {
  const dispatcher = new Agent({
    maxResponseSize: MAX_ANSWER_BYTES,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  return async (address, collection, signal) => {
    const headers = { accept: 'application/json' };
    const { statusCode, body } = await request(address, { dispatcher, headers, signal });
    if (statusCode !== 200) {
      await body.dump();
      if (statusCode === 404) return null;
      throw new Error(`The icon API answered ${statusCode}.`);
    }
    const answer = collectionSchema.parse(await body.json());
    if (answer.prefix !== collection) throw new Error('The icon API answered another collection.');
    return safeIcons(answer);
  };
}

function safeIcons(answer: IconifyJSON): Icons {
  const set = withoutInheritedNames(answer);
  const names = [...Object.keys(set.icons), ...Object.keys(set.aliases ?? {})];
  return Object.fromEntries(
    names.flatMap((name) => {
      const icon = getIconData(set, name);
      return icon && isSafeSvgBody(icon.body) ? [[name, icon] as const] : [];
    }),
  );
}
