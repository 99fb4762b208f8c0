// The production site and the local cloud, from a fresh clone, by one command.
import { fail, installPackages, runTool, runWithCloud } from './setup.mjs';

installPackages();
process.stdout.write('Building …\n');
if (!runTool('remix', ['vite:build', '--logLevel', 'warn'])) fail('The build failed.');

await runWithCloud({
  command: process.execPath,
  args: ['build/server/server.js'],
  nodeEnv: 'production',
  whatToTry: ({ site, cloud }) => `
  The site          ${site}
  Sent mails        ${cloud}/_outbox

  Try this:
    1. Open the site; change language and theme.
    2. Create an account. No mail leaves this machine: the code is printed here and at ${cloud}/_outbox
    3. Post a test message, watch the way that the call took, delete the message, sign out.
    4. Do it again with JavaScript switched off.

  Ctrl-C stops everything.

`,
});
