/** The files of the build and the assets of earlier builds, each in the smallest content coding that the client accepts. */
import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { contentType } from 'mime-types';
import { createCodingChoice } from './content-coding.ts';
import type { Exchange, SiteResponse, Step } from './exchange.ts';
import { fileError } from './send-file.ts';

export type StaticFilesOptions = {
  /** What the build made for browsers, with compressed copies beside the files. Null where Vite serves the files. */
  clientDirectory: string | null;
  /** Where the assets of earlier builds are kept. */
  buildsDirectory: string;
};

const HOUR = 'public, max-age=3600';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The names that the build gives to assets. */
const ASSET = /^\/assets\/[\w-][\w.-]*$/;

const EXTENSIONS = { br: '.br', gzip: '.gz' } as const;

/**
 * A step that sends hashed assets as immutable, those of earlier builds too, and other files for an hour. A missing
 * asset is a plain 404, never a page. The directories are listed once, but assets that another machine adds to
 * `buildsDirectory` later are found as well.
 */
export function createStaticFiles({ clientDirectory, buildsDirectory }: StaticFilesOptions): Step {
  if (clientDirectory === null) return () => null;
  const client = listFiles(clientDirectory);
  const earlier = listFiles(buildsDirectory);
  const chooseCoding = createCodingChoice();

  const fileResponse = (
    { headers }: Exchange,
    file: string,
    cacheControl: string,
    [directory, files]: readonly [string, ReadonlySet<string>],
  ): SiteResponse => {
    const codings = (['br', 'gzip'] as const).filter((coding) => files.has(file + EXTENSIONS[coding]));
    const described = { 'cache-control': cacheControl, ...describeType(file) };
    if (codings.length === 0) return { status: 200, headers: described, body: { directory, file } };
    const coding = chooseCoding(headers.get('accept-encoding') ?? undefined, [...codings, 'identity']);
    const encoded = coding === 'identity' ? {} : { 'content-encoding': coding };
    const compressed = { ...described, ...encoded, vary: 'Accept-Encoding' };
    const extension = coding === 'identity' ? '' : EXTENSIONS[coding];
    return { status: 200, headers: compressed, body: { directory, file: file + extension } };
  };

  return (exchange) => {
    const { method, path } = exchange;
    // Pages have no dot in their paths.
    if ((method !== 'GET' && method !== 'HEAD') || (!path.includes('.') && !path.startsWith('/assets')))
      return null;
    const file = decodeURIComponent(path);
    const isAsset = /^\/assets(?:\/|$)/.test(file);
    if (client.has(file)) {
      return fileResponse(exchange, file, isAsset ? IMMUTABLE : HOUR, [clientDirectory, client]);
    }
    if (!isAsset) return null;
    if (!ASSET.test(file)) return fileError(404);
    return fileResponse(exchange, file, IMMUTABLE, [buildsDirectory, earlier]);
  };
}

/** The type of the file itself, also when a compressed copy is sent. `mime-types` names no charset for SVG. */
function describeType(file: string): Record<string, string> {
  const type = contentType(extname(file));
  if (!type) return {};
  return { 'content-type': type.endsWith('+xml') ? `${type}; charset=utf-8` : type };
}

/** The files below a directory, as paths that begin with a slash; hidden ones are left out. */
function listFiles(directory: string): ReadonlySet<string> {
  try {
    const names = readdirSync(directory, { recursive: true, withFileTypes: true });
    const files = names
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    return new Set(files.map((file) => file.slice(directory.length)).filter((file) => !file.includes('/.')));
  } catch {
    // No earlier build has been kept yet.
    return new Set();
  }
}
