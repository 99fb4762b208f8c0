/**
 * Icons for the browser, loaded by Iconify. The site is the only host, which checks the icons of other hosts
 * (app/server/icons). This file is loaded with the first icon.
 */
import { _api, addAPIProvider, loadIcon } from '@iconify/react';

addAPIProvider('', {
  resources: [`${location.origin}/api/icons`],
  maxURL: 500,
  rotate: 750,
  timeout: 5000,
});

// Iconify escapes commas in the query but counts one character for each. They need no escape (RFC 3986 section 3.4).
_api.setFetch((address, init) => fetch(String(address).replaceAll('%2C', ','), init));

export { loadIcon };
