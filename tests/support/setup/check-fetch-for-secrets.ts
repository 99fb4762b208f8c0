import { secretCheckingFetch } from '../secrets/secret-checking-fetch.ts';

// A test fails when a response of the site to `fetch` contains a secret.
globalThis.fetch = secretCheckingFetch;
