import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Upper bound on the size of a picture in the documentation, because each reader loads it. */
const maxBytes = 150 * 1024;
/** Quality of WebP, up to 100. With lower values, small letters get shadows. */
const quality = 85;

/** Logs in with an API key from the log-in page, which is open. */
export async function logInByKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((at) => !at.pathname.endsWith('/log-in'));
}

/** Writes the visible part of the page as WebP. */
export async function keepPicture(page: Page, file: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  // The browser itself writes WebP, a quarter of what its PNG takes.
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality });
  await devTools.detach();
  const picture = Buffer.from(data, 'base64');
  await writeFile(file, picture);
  if (picture.byteLength > maxBytes) process.stderr.write(`${file} is larger than ${maxBytes / 1024} KiB\n`);
}
