import { auth } from '../session.server';

export const loader = auth.callback;
