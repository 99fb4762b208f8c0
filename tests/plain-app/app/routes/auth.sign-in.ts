import { auth } from '../session.server';

export const loader = auth.signIn;
