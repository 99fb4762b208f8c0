import { createSecretCheckingFetch, isSecretChecking } from '../secrets/secret-checking-fetch.ts';

// A test fails when a response of the site to `fetch` contains a secret. One process can run several test files.
if (!isSecretChecking(globalThis.fetch)) globalThis.fetch = createSecretCheckingFetch(globalThis.fetch);
