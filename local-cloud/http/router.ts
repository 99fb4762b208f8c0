import type { FaultyHandler } from '../control/faults.ts';
import { type Handler, text } from './exchange.ts';

export type Route = {
  path: string;
  handler: Handler | FaultyHandler;
  /** The methods it takes; left out, it decides by itself. */
  methods?: readonly string[];
};

/** Finds a request's route by its exact path; a slash at the end makes no difference. */
export function createRouter(routes: readonly Route[]): FaultyHandler {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  return async (request) => {
    const route = byPath.get(request.url.pathname.replace(/(?<=.)\/$/, ''));
    if (!route) return text(404, 'Not found\n');
    if (route.methods && !route.methods.includes(request.method)) {
      return text(405, 'Method not allowed\n', { allow: route.methods.join(', ') });
    }
    return route.handler(request);
  };
}
