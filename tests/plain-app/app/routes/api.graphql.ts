import { proxy } from '../api.server';
import { auth } from '../session.server';

export const action = auth.withSession(({ request, session }) =>
  proxy(request, { caller: session.state === 'signed-in' ? session : null }),
);

/** Responds to GET with 405. */
export const loader = action;
