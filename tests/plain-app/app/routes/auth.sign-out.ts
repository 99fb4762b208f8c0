import { auth } from '../session.server';

export const action = auth.signOut;
