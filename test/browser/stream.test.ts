import { expect, onTestFinished, test } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startTcpProxy } from '../faults/support/tcp-proxy.ts';
import { awaitThat, logIn, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=20000' } });

test('an interrupted stream reconnects, and in the meantime numbers are stale, pause works and cancel is disabled', async () => {
  const { hostname, port } = new URL(consoleOf.url);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => proxy.close());
  const page = await consoleOf.visitor({ baseURL: `http://127.0.0.1:${proxy.port}` });
  await logIn(page, consoleOf.apiKey);
  const runId = await consoleOf.muster.api.run({
    name: 'A long one',
    countries: ['SG'],
    segment: 'lapsed-riders',
    chain: rewardThenMessage,
    paceUsersPerSecond: 50,
  });
  await page.goto(`runs/${runId}`);
  const fresh = page.getByRole('status').filter({ hasText: /Live, updated \d s ago/ });
  await fresh.waitFor();

  await proxy.listen(false);
  const banner = page.locator('.banner', { hasText: 'connecting again' });
  await banner.waitFor();
  // During an attempt, the banner does not show when the next attempt begins.
  await banner.filter({ hasText: /Try \d+, next in \d+ s/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Pause' }).getAttribute('aria-disabled')).toBeNull();
  expect(await page.getByRole('button', { name: 'Cancel…' }).getAttribute('aria-disabled')).toBe('true');

  await proxy.listen(true);
  await banner.waitFor({ state: 'detached' });
  await fresh.waitFor();
  await awaitThat(
    async () => (await page.getByRole('button', { name: 'Cancel…' }).getAttribute('aria-disabled')) === null,
  );
});
