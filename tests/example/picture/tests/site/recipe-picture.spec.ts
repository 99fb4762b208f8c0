import { expect, test } from '../e2e/support/fixtures.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('the author of a recipe gives it a picture, and every member sees it', async ({ page, signUp }) => {
  const file = (buffer: Buffer) => ({ name: 'tea.png', mimeType: 'image/png', buffer });
  await signUp('ada@example.com');
  await page.goto('/recipes');
  await page.getByLabel('Title').fill('Tea');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('listitem').getByRole('link', { name: 'Tea', exact: true }).click();
  await page.getByRole('main').getByRole('link', { name: 'Picture' }).click();
  const send = page.getByRole('button', { name: 'Send the picture' });
  await page.getByLabel('Picture').setInputFiles(file(Buffer.from('<script>alert(1)</script>')));
  await send.click();
  await expect(page.getByLabel('Picture')).toHaveAccessibleDescription(/Choose a PNG/);
  await page.getByLabel('Picture').setInputFiles(file(png));
  await send.click();
  const image = page.getByRole('img', { name: 'Tea' });
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);

  const ben = await signUp('ben@example.com');
  const path = new URL(page.url()).pathname;
  const picture = await ben.request(`/api${path}`);
  expect([
    picture.status,
    picture.headers['content-type'],
    picture.headers['x-content-type-options'],
  ]).toEqual([200, 'image/png', 'nosniff']);
  const part = 'content-disposition: form-data; name="picture"; filename="a.png"';
  const attack = await ben.request(path, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: `--b\r\n${part}\r\n\r\nRIFF0000WEBP\r\n--b--\r\n`,
  });
  expect(attack.status).toBe(404);
});
