import { createSecretCheckingFetch } from '../secrets/secret-checking-fetch.ts';

// A secret in what a site answers is a failure of whichever test asked for it, whatever it asked for.
globalThis.fetch = createSecretCheckingFetch(globalThis.fetch);
