// Starts the site with hot reload and the local cloud.
import { requireFreePorts, runWithCloud } from './setup/local-site.mjs';
import { installPackages } from './setup/setup.mjs';

await requireFreePorts();
installPackages();
await runWithCloud({
  command: process.execPath,
  args: [
    'node_modules/@remix-run/dev/dist/cli.js',
    'vite:dev',
    '--port',
    process.env.PORT ?? '3000',
    '--strictPort',
  ],
  nodeEnv: 'development',
  instructions: ({ site, cloud, administrator }) => `
  The site          ${site}
  Sent mails        ${cloud}/_outbox
  Administrator     ${administrator.email}, password ${administrator.password}

`,
});
