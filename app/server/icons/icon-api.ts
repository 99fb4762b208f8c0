/** The client of an icon API: the Iconify API, or another host with the same protocol. */
import type { IconifyIcon, IconifyJSON } from '@iconify/types';
import { getIconData } from '@iconify/utils/lib/icon-set/get-icon';
import { createDispatcher } from '@tenfold/upstream';
import { request } from 'undici';
import { z } from 'zod';
import { isIconName } from './icon-names.ts';
import { withoutInheritedKeys } from './installed-icons.ts';
import { isSafeSvgBody } from './svg-body.ts';

export type Icons = Readonly<Record<string, IconifyIcon>>;

/** Resolves to the icons at `url` by name, or to null for status 404. */
export type FetchIcons = (url: string, collection: string, signal: AbortSignal) => Promise<Icons | null>;

/** A URL has room for the names of a few dozen icons, of about 1 kB each. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_BODY_LENGTH = 64 * 1024;
const CONNECTIONS_PER_HOST = 8;
/** Longer than any request waits for icons: a late response is still added to the cache. */
const RESPONSE_TIMEOUT_MS = 15_000;

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
 * Creates a function that fetches icons, with aliases resolved and unsafe icons left out. It rejects for statuses other
 * than 200 and 404 (redirects are not followed), for responses over 1 MiB, and for anything but JSON of the requested
 * collection.
 */
export function createIconApiClient(): FetchIcons {
  const dispatcher = createDispatcher({
    connections: CONNECTIONS_PER_HOST,
    maxResponseSize: MAX_RESPONSE_BYTES,
    headersTimeout: RESPONSE_TIMEOUT_MS,
    bodyTimeout: RESPONSE_TIMEOUT_MS,
  });
  return async (url, collection, signal) => {
    const headers = { accept: 'application/json' };
    const { statusCode, body } = await request(url, { dispatcher, headers, signal });
    if (statusCode !== 200) {
      await body.dump();
      if (statusCode === 404) return null;
      throw new Error(`The status of the icon API is ${statusCode}.`);
    }
    const response = collectionSchema.parse(await body.json());
    if (response.prefix !== collection) throw new Error('The icon API sent another collection.');
    return toSafeIcons(response);
  };
}

function toSafeIcons(response: IconifyJSON): Icons {
  const collection = withoutInheritedKeys(response);
  const names = [...Object.keys(collection.icons), ...Object.keys(collection.aliases ?? {})];
  return Object.fromEntries(
    names.flatMap((name) => {
      const icon = getIconData(collection, name);
      return icon && isSafeSvgBody(icon.body) ? [[name, icon] as const] : [];
    }),
  );
}
