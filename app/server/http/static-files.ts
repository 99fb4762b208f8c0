/** The files of the build, and what is left of earlier builds: each in the smallest coding that the browser takes. */
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
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
  // These have a dot in their names, which no page has: it need not wait for the disk to say that it is no file.
  router.use(({ path }, _response, next) => next(path.includes('.') ? undefined : 'router'));
  router.use(serveDirectory(clientDirectory, { maxAge: '1h' }));
  router.use(refuseCondition);
  return router;
}

/** What describes a file, and is not to be said of the refusal of one. */
const FILE_HEADERS = ['accept-ranges', 'cache-control', 'content-encoding', 'etag', 'last-modified'];

/** A condition that does not hold (412) and a range that the file does not have (416) come here as errors. */
const refuseCondition: ErrorRequestHandler = (error, _request, response, next) => {
  if (error?.status !== 412 && error?.status !== 416) return next(error);
  for (const name of FILE_HEADERS) response.removeHeader(name);
  const text = error.status === 412 ? 'Precondition failed\n' : 'Range not satisfiable\n';
  response
    .status(error.status)
    .set(error.headers ?? {})
    .type('text')
    .send(text);
};

function serveDirectory(directory: string, options: { immutable?: boolean; maxAge: string }): RequestHandler {
  return expressStaticGzip(directory, {
    enableBrotli: true,
    orderPreference: ['br', 'gzip'],
    index: false,
    serveStatic: { ...options, index: false, redirect: false },
  });
}
