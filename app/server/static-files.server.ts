/** The files of the build, and what is left of earlier builds: each in the smallest coding that the browser takes. */
import { type RequestHandler, Router } from 'express';
import expressStaticGzip from 'express-static-gzip';

export type StaticFilesOptions = {
  /** What the build made for browsers, its compressed copies beside it. */
  clientDirectory: string;
  /** Where earlier builds' assets are kept. */
  buildsDirectory: string;
};

/**
 * Hashed files for good, those of earlier builds too; the others for an hour. What is missing among the hashed is a
 * plain 404, never a page. Which files there are in which codings is read once, here.
 */
export function createStaticFiles({ clientDirectory, buildsDirectory }: StaticFilesOptions): Router {
  const router = Router();
  // Whoever posts to a file is answered by what comes after, which must find no head that was made for the file.
  router.use((request, _response, next) => {
    next(request.method === 'GET' || request.method === 'HEAD' ? undefined : 'router');
  });
  for (const directory of [clientDirectory, buildsDirectory]) {
    router.use('/assets', serveDirectory(`${directory}/assets`, { immutable: true, maxAge: '1y' }));
  }
  router.use('/assets', (_request, response) => {
    // Another machine may have forgotten a kept build since the directory was read.
    response.removeHeader('content-encoding');
    response.status(404).type('text').send('Not found\n');
  });
  router.use(serveDirectory(clientDirectory, { maxAge: '1h' }));
  return router;
}

function serveDirectory(directory: string, options: { immutable?: boolean; maxAge: string }): RequestHandler {
  return expressStaticGzip(directory, {
    enableBrotli: true,
    orderPreference: ['br', 'gzip'],
    index: false,
    serveStatic: { ...options, index: false, redirect: false },
  });
}
