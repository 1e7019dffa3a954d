import { pino } from 'pino';
import { expect, it } from 'vitest';
import { clientDefinition } from '../../shared/contracts/jobs/clients.ts';
import { webhookClientName } from '../../shared/domain/job/webhook-clients.ts';
import type { Client } from '../../shared/ports/clients.ts';
import type { ClientSnapshot } from '../../shared/runtime/installation/client-reader.ts';
import { clientIdOf } from '../../test/support/conformance/job-subject.ts';
import { createMemoryNotices } from '../../test/support/memory/notices.ts';
import { passTime, settled } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createWebhookTeller } from './tell-webhooks.ts';

const webhookId = clientIdOf(1);

/** A scheduler that knows clients, and what it asks the database. */
function setUp(toTell: number[] = []) {
  const clock = createSettableClock();
  const notices = createMemoryNotices();
  const asked: string[] = [];
  let snapshot: ClientSnapshot = { revision: 1, byId: new Map(), byRef: new Map() };
  const listeners: ((snapshot: ClientSnapshot) => void)[] = [];
  const know = (...names: string[]) => {
    const clients = names.map((name): Client => {
      const times = { createdAt: clock.now(), updatedAt: clock.now() };
      const standing = { revision: 1, enabled: true, disabledReason: null, auth: null, keys: [] };
      return { clientId: webhookId, name, definition: clientDefinition.parse({}), ...standing, ...times };
    });
    snapshot = {
      revision: snapshot.revision + 1,
      byId: new Map(clients.map((each) => [each.name, each])),
      byRef: new Map(),
    };
    for (const listener of listeners) listener(snapshot);
  };
  const teller = createWebhookTeller({
    events: {
      tell: () => {
        asked.push('tell');
        const events = toTell.shift() ?? 0;
        return Promise.resolve({ events, calls: events });
      },
      noteWhatStands: () => {
        asked.push('look');
        return Promise.resolve(0);
      },
    },
    clients: { current: () => snapshot, onChange: (listener) => void listeners.push(listener) },
    ...{ base: '', notices, clock, logger: pino({ level: 'silent' }) },
  });
  teller.start();
  return { clock, notices, asked, know, teller };
}

it('nothing is asked while there is no webhook, whatever other clients there are', async () => {
  const { clock, notices, asked, know, teller } = setUp();
  know('orders');
  notices.tell('webhook-events');
  await passTime(clock, 3_600_000);
  expect(asked).toEqual([]);
  know('orders', webhookClientName(webhookId));
  await settled();
  expect(asked).toEqual(['look', 'tell']);
  await teller.stop();
});

it('what is told is taken at once, as long as there is more, and what stands is looked for now and then', async () => {
  const { clock, notices, asked, know, teller } = setUp([0, 100, 100, 3]);
  know(webhookClientName(webhookId));
  await passTime(clock, 0);
  asked.length = 0;
  notices.tell('webhook-events');
  await passTime(clock, 0);
  expect(asked).toEqual(['tell', 'tell', 'tell']);
  asked.length = 0;
  await passTime(clock, 30_000);
  expect(asked).toEqual(['look', 'tell', 'look', 'tell', 'look', 'tell']);
  await teller.stop();
});
