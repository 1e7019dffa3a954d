import { expect, test } from 'vitest';
import { listQuarantinedMessages } from '../../sdk/generated/sdk.gen.ts';
import type { Page } from 'playwright-core';
import { topicNames } from '../../shared/domain/endpoint/shard.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createLetterPublisher } from '../../shared/kafka/publisher/letter-publisher.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { awaitThat, logIn, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: {} });

/** Messages that no worker can understand, in the topic of a shard. */
async function publishNonsense(country: string, messages: readonly string[]): Promise<void> {
  const { kafkaBrokers, topicPrefix } = consoleOf.muster;
  const logger = createLogger('browser', 'silent');
  const kafka = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'nonsense', logger });
  const topic = topicNames(topicPrefix).shard({ actionType: 'award-reward', country });
  await createLetterPublisher({ kafka }).publish(
    messages.map((value) => ({ topic, key: null, value: Buffer.from(value) })),
  );
}

const groupOf = (page: Page, country: string) =>
  page
    .getByRole('table', { name: 'Quarantined messages by topic and reason' })
    .getByRole('row', { name: `Award reward ${country}` });
const displayed = (page: Page) => page.getByLabel('The message', { exact: true });

async function confirm(page: Page, title: RegExp, button: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('a user reads quarantined messages, replays a group and discards one, and the audit log names the user', async () => {
  await publishNonsense('SG', ['{"first": 1}', '{"second": 2}', '{"third": 3}']);
  await publishNonsense('VN', ['no JSON at all']);
  const page = await consoleOf.loggedIn();
  await page.goto('quarantine');
  await groupOf(page, 'SG').getByRole('cell', { name: '3', exact: true }).waitFor();
  await groupOf(page, 'VN').waitFor();

  await groupOf(page, 'SG').getByRole('button').click();
  await page.getByRole('heading', { name: '1 of 3' }).waitFor();
  const newest = await displayed(page).textContent();
  await page.keyboard.press(']');
  await page.getByRole('heading', { name: '2 of 3' }).waitFor();
  await awaitThat(async () => ![newest, null].includes(await displayed(page).textContent()));
  await page.keyboard.press('[');
  await page.getByRole('heading', { name: '1 of 3' }).waitFor();
  await awaitThat(async () => (await displayed(page).textContent()) === newest);

  // The workers still cannot parse these messages, so they return as new items.
  await page.getByRole('button', { name: 'Replay 3…' }).click();
  await confirm(page, /^Replay 3 messages\?$/, 'Replay 3');
  const replayed = async () => {
    const { client } = consoleOf.muster.api;
    return (await listQuarantinedMessages({ client, query: { state: 'replayed' } })).data.items.length;
  };
  await awaitThat(async () => (await replayed()) === 3);
  await groupOf(page, 'SG').getByRole('cell', { name: '3', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Discard…', exact: true }).click();
  await confirm(page, /^Discard 1 message\?$/, 'Discard 1');
  await groupOf(page, 'SG').getByRole('cell', { name: '2', exact: true }).waitFor();

  await page.goto('audit');
  const changes = page.getByRole('table', { name: 'Changes, newest first' });
  await changes
    .getByRole('row', { name: /discarded a message from quarantine/ })
    .first()
    .waitFor();
  expect(await changes.getByRole('row', { name: /replayed messages from quarantine/ }).count()).toBeGreaterThan(0);
});

test('a key without the right to decide reads a message, and the disabled buttons name the required role', async () => {
  await publishNonsense('ID', ['still no JSON']);
  const page = await consoleOf.visitor();
  await logIn(page, await consoleOf.keyOf('manager'));
  await page.goto('quarantine');
  await groupOf(page, 'ID').getByRole('button').click();
  await displayed(page).getByText('still no JSON').waitFor();
  for (const name of ['Replay 1…', 'Discard 1…', 'Replay…', 'Discard…']) {
    const button = page.getByRole('button', { name, exact: true });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
  }
  await page.getByRole('button', { name: 'Replay 1…' }).hover();
  await page.getByRole('tooltip').filter({ hasText: 'Needs the role operator' }).waitFor();
});
