/** A message that is being written while the site is deployed. */
import { Agent } from 'node:http';
import { copyAsNewBuild, copyBuild } from '../../../support/processes/builds.ts';
import { blockStorage, type Deployment, startDeployment } from '../../support/deployment.ts';
import { expect, test } from '../../support/fixtures.ts';
import { signUpInContext } from '../../support/sign-up.ts';
import { openHydrated } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField, sendButton, sentNotice } from './message-list.ts';

const t = translationsOf('en');
const HOUR = 3_600_000;

let deployment: Deployment;
let deploy: Record<'earlier' | 'later', () => void>;

test.beforeAll(async () => {
  deployment = await startDeployment();
  const archive = test.info().outputPath('archive');
  deploy = {
    earlier: await deployment.add(copyBuild('earlier'), archive),
    later: await deployment.add(copyAsNewBuild('later'), archive),
  };
});
test.afterAll(() => deployment.stop());

for (const storage of ['available', 'blocked'] as const) {
  test(`typed text survives the reload for a new build (storage is ${storage})`, async ({
    page,
    context,
  }) => {
    if (storage === 'blocked') await page.addInitScript(blockStorage);
    deploy.earlier();
    const account = { agent: new Agent(), email: `writer-${storage}@example.com` };
    const { origin, cloud } = deployment;
    await cloud.reset();
    await signUpInContext(context, { site: { origin }, cloud }, account);
    await page.clock.install();
    await openHydrated(page, `${deployment.origin}/test-message`);
    const field = messageField(page);
    await field.fill('Do not lose me');

    deploy.later();
    await page.clock.fastForward(HOUR);
    const notice = page.getByText(t('newVersion.title'));
    await expect(notice).toBeVisible();
    await expect(field).toHaveValue('Do not lose me');
    await page.getByRole('button', { name: t('newVersion.reload') }).click();
    await expect(notice).toBeHidden();
    await expect(field).toHaveValue('Do not lose me');

    // The restored text is also the text that is sent.
    await sendButton(page).click();
    await expect(sentNotice(page)).toBeVisible();
    await expect(page.getByText('Do not lose me', { exact: true })).toHaveCount(1);
  });
}
