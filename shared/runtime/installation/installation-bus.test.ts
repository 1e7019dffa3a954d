import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { stepMessage } from '../../contracts/messages/messages.ts';
import type { Lane, LaneMessage, LaneReceiver, MessageConsumer, OutgoingMessage } from '../../ports/message-bus.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { ownConsumer, ownPublisher } from './installation-bus.ts';
import { createPrometheusMeter } from '../meter/prometheus-meter.ts';

const [ours, theirs] = [uuidv7(), uuidv7()];
const reference = { feedId: uuidv7(), step: 1, batchNos: [1], remaining: [100] };
const lane: Lane = { topic: 'muster.award-reward.SG', partition: 0, assignment: 1 };

async function published(installationId: string): Promise<string> {
  const sent: OutgoingMessage[] = [];
  const publisher = { publish: (messages: readonly OutgoingMessage[]) => Promise.resolve(void sent.push(...messages)) };
  await ownPublisher(publisher, installationId).publish([{ topic: lane.topic, value: JSON.stringify(reference) }]);
  return sent[0]?.value ?? '';
}

/** Creates a consumer of our installation that records the messages that it delivers and settles. */
function consuming() {
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });
  const clock = createSettableClock();
  const meter = createPrometheusMeter({ logger });
  let receiver: LaneReceiver | undefined;
  const settled: number[] = [];
  const delivered: number[] = [];
  const consumer: MessageConsumer = {
    start: (given) => Promise.resolve(void (receiver = given)),
    settle: ({ offset }) => void settled.push(offset),
    stopIntake: () => undefined,
    stop: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    ready: () => ({ ok: true }),
    stats: () => [],
    crashed: new Promise(() => undefined),
  };
  const own = ownConsumer({ consumer, installationId: ours, meter, clock, logger });
  void own.start({
    deliver: (_lane, messages) => void delivered.push(...messages.map(({ offset }) => offset)),
    revoke: () => undefined,
    isCrowded: () => delivered.length > 1,
  });
  const arrive = (...values: (string | null)[]) => {
    const messages = values.map((value, offset): LaneMessage => ({
      lane,
      offset,
      key: null,
      value: value === null ? null : Buffer.from(value),
    }));
    receiver?.deliver(lane, messages);
  };
  return {
    arrive,
    isCrowded: () => receiver?.isCrowded(),
    settled,
    delivered,
    warnings,
    clock,
    text: async () => (await meter.expose()).text,
  };
}

describe('messages of two installations on the same topics', () => {
  it('carry their installation id and are still readable as step messages', async () => {
    const value: unknown = JSON.parse(await published(ours));
    expect(value).toMatchObject({ installation: ours });
    expect(stepMessage.parse(value)).toEqual(reference);
  });

  it('are gathered for longer while the receiver reports that it is crowded', async () => {
    const { arrive, isCrowded } = consuming();
    expect(isCrowded()).toBe(false);
    arrive(await published(ours), await published(ours));
    expect(isCrowded()).toBe(true);
  });

  it('reach only the receiver of their own installation, and foreign messages are settled and counted', async () => {
    const { arrive, settled, delivered, text } = consuming();
    arrive(await published(ours), await published(theirs), await published(ours), await published(theirs));
    expect([delivered, settled]).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(await text()).toContain('\nmuster_foreign_messages_total 2\n');
  });

  it('are delivered to the receiver if they carry no installation id', () => {
    const { arrive, delivered, settled } = consuming();
    arrive('garbage', null, '', '{"installation":', JSON.stringify(reference));
    expect([delivered, settled]).toEqual([[0, 1, 2, 3, 4], []]);
  });

  it('cause a warning at most once a minute if they are foreign', async () => {
    const { arrive, warnings, clock } = consuming();
    const foreign = await published(theirs);
    for (let second = 0; second < 90; second++) {
      arrive(foreign);
      clock.advance(1000);
    }
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toContain('"messages":60');
  });
});
