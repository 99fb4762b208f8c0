import { type Handler, methodNotAllowed, text, type UnreliableHandler } from './exchange.ts';

export type Route = {
  path: string;
  handler: Handler | UnreliableHandler;
  /** The allowed methods. Without this list the handler checks the method itself. */
  methods?: readonly string[];
};

/**
 * Returns a handler that dispatches requests by exact path; a trailing slash is ignored. An unknown path gets a 404
 * response, a method that the route does not allow a 405 response.
 */
export function createRouter(routes: readonly Route[]): UnreliableHandler {
  const routesByPath = new Map(routes.map((route) => [route.path, route]));
  return async (request) => {
    const route = routesByPath.get(request.url.pathname.replace(/(?<=.)\/$/, ''));
    if (!route) return text(404, 'Not found\n');
    if (route.methods && !route.methods.includes(request.method)) return methodNotAllowed(route.methods);
    return route.handler(request);
  };
}
