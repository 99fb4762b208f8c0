// An app with AWS Amplify as its documentation shows it. The test calls the functions of `window.app`.
import { Amplify } from 'aws-amplify';
import { generateClient } from 'aws-amplify/api';
import { fetchAuthSession, signInWithRedirect, signOut } from 'aws-amplify/auth';
import 'aws-amplify/auth/enable-oauth-listener';

const response = await fetch('/config.json');
Amplify.configure(await response.json());
const client = generateClient();

/** What subscriptions have reported. */
const events = [];

Object.assign(globalThis, {
  app: {
    fetchAuthSession,
    signInWithRedirect,
    signOut,
    events,
    send: (query) => client.graphql({ query }),
    subscribe(query) {
      client.graphql({ query }).subscribe({
        next: ({ data }) => events.push(data),
        error: (error) => events.push(error),
      });
    },
  },
});
