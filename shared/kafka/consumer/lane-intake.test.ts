import { expect, it } from 'vitest';
import { createLaneIntake } from './lane-intake.ts';
import { createLanes } from './lanes.ts';

function intakeOf(gatherMs: number) {
  let [nowMs, crowded] = [0, false];
  const lanes = createLanes({ highMark: 10, lowMark: 5 });
  const intake = createLaneIntake({
    lanes,
    client: () => undefined,
    topics: () => ['calls'],
    tell: () => undefined,
    gatherMs,
    isCrowded: () => crowded,
    monotonicMs: () => nowMs,
  });
  const message = { offset: '0', key: null, value: Buffer.from('{}'), timestamp: '0', attributes: 0, headers: {} };
  const batch = {
    topic: 'calls',
    partition: 0,
    highWatermark: '1',
    messages: [message],
    isEmpty: () => false,
    firstOffset: () => '0',
    lastOffset: () => '0',
    offsetLag: () => '0',
    offsetLagLow: () => '0',
  };
  intake.assign({ calls: [0] });
  return {
    intake,
    take: async () => {
      await intake.takeBatch({ batch, resolveOffset: () => undefined });
    },
    crowd: (isCrowd: boolean) => {
      crowded = isCrowd;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('a fetch gathers messages for a short time while other messages are unsettled, and waits long otherwise', async () => {
  const { intake, take, pass } = intakeOf(20);
  pass(1000);
  expect(intake.fetching()).toEqual({ minBytes: 1, maxWaitTime: 5000 });
  await take();
  pass(1000);
  expect(intake.fetching()).toEqual({ minBytes: 4096, maxWaitTime: 20 });
});

it('a fetch gathers more messages for longer while its receiver is crowded', async () => {
  const { intake, take, crowd, pass } = intakeOf(5);
  await take();
  crowd(true);
  expect(intake.fetching()).toEqual({ minBytes: 65_536, maxWaitTime: 20 });
  crowd(false);
  expect(intake.fetching()).toEqual({ minBytes: 4096, maxWaitTime: 5 });
  crowd(true);
  intake.assign({ calls: [0] });
  pass(1000);
  expect(intake.fetching()).toEqual({ minBytes: 1, maxWaitTime: 5000 });
});
