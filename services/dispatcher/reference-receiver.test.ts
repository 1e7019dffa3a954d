import { expect, it } from 'vitest';
import type { LaneReceiver } from '../../shared/ports/message-bus.ts';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { dispatcherSubject, numbered, topic } from '../../test/support/dispatcher-subject.ts';
import { passTime } from '../../test/support/pass-time.ts';

it('a dispatcher reports that it is crowded from 1,000 waiting references on', async () => {
  const { clock, bus, clients, dispatcherOf, offer } = dispatcherSubject(() => new Promise(() => undefined));
  const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] };
  clients.set(clientIdOf(1), { limits });
  const consumer = bus.consumer('dispatchers', [topic]);
  let receiver: LaneReceiver | undefined;
  const start = (given: LaneReceiver) => {
    receiver = given;
    return consumer.start(given);
  };
  const dispatcher = dispatcherOf('a', clock, { consumer: { ...consumer, start } });
  await dispatcher.start();
  for (let first = 0; first < 1000; first += 50) {
    await offer(...numbered(first, first + 50).map((jobId) => ({ jobId })));
    await passTime(clock, 10);
  }
  expect([dispatcher.levels().queued, receiver?.isCrowded()]).toEqual([999, false]);
  await offer({ jobId: jobIdOf(1000) });
  await passTime(clock, 10);
  expect([dispatcher.levels().queued, receiver?.isCrowded()]).toEqual([1000, true]);
});
