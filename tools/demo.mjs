// Installs, builds and starts the production site with the local cloud.
import { isBuildCurrent } from './setup/build-state.mjs';
import { requireFreePorts, runWithCloud } from './setup/local-site.mjs';
import { buildSite, fail, installPackages } from './setup/setup.mjs';

await requireFreePorts();
installPackages();
if (!isBuildCurrent() && !buildSite()) fail('The build failed.');

await runWithCloud({
  command: process.execPath,
  args: ['build/server/server.js'],
  nodeEnv: 'production',
  instructions: ({ site, cloud, administrator }) => `
  The site          ${site}
  Sent mails        ${cloud}/_outbox
  Administrator     ${administrator.email}, password ${administrator.password}

  Try this:
    1. Open the site; change language and theme.
    2. Create an account. No mail leaves this machine: the code is printed here and at ${cloud}/_outbox
    3. Use the pages for signed-in visitors, and sign out.
    4. Do it again with JavaScript turned off.
    5. Sign in as the administrator, who may do more.

  Ctrl-C stops everything.

`,
});
