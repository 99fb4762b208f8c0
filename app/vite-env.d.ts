/** The Remix build of the site, which Vite provides to server.ts. */
declare module 'virtual:remix/server-build' {
  type ServerBuild = import('@remix-run/node').ServerBuild;
  export const mode: ServerBuild['mode'];
  export const entry: ServerBuild['entry'];
  export const routes: ServerBuild['routes'];
  export const assets: ServerBuild['assets'];
  export const basename: NonNullable<ServerBuild['basename']>;
  export const publicPath: ServerBuild['publicPath'];
  export const assetsBuildDirectory: ServerBuild['assetsBuildDirectory'];
  export const future: ServerBuild['future'];
  export const isSpaMode: ServerBuild['isSpaMode'];
}

interface ImportMetaEnv {
  /** The time of the build, in milliseconds since the epoch. */
  readonly BUILT_AT: number;
}

/** The markup of the icons that the code names, from the plugin in tools/build/vite-plugins/used-icons.ts. */
declare module 'virtual:used-icons' {
  export const usedIcons: Readonly<Record<string, string>>;
}

/** Code of this repository, read by the plugin in tools/build/vite-plugins/source-excerpt.ts. Joined, the tokens are the code. */
declare module 'virtual:source-excerpt' {
  export const sourceExcerpt: Readonly<{
    path: string;
    tokens: readonly (string | readonly ['comment' | 'keyword' | 'name', string])[];
  }>;
}
