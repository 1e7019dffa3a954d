import { beforeEach, describe, expect, it } from 'vitest';
import { engineConfig } from '../../shared/contracts/engine-config.ts';
import { settled } from '../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../test/support/settable-clock.ts';
import { createCallSlots, type CallSlots } from './call-slots.ts';
import type { Work } from './work.ts';

const { actionTypes } = engineConfig.parse({
  countries: ['SG'],
  segmentation: { url: 'http://segments' },
  actionTypes: {
    'award-reward': { url: 'http://rewards', class: 'A', concurrency: 2 },
    'send-message': { url: 'http://messages', class: 'B', concurrency: 2 },
  },
});

function worksOf(actionType: string, count: number, firstBatchNo = 1): Work[] {
  const type = actionTypes[actionType];
  if (!type) throw new Error(`${actionType} is not configured`);
  const lane = { topic: 't', partition: 0, assignment: 1 };
  return Array.from({ length: count }, (_, index) => ({
    claim: {
      feedId: 'f',
      batchNo: firstBatchNo + index,
      step: 1,
      epoch: 1,
      attempts: 0,
      open: false,
      lapses: 0,
      users: '"u"',
      size: 1,
    },
    context: { feedId: 'f', runId: 'r', campaignId: 'c', country: 'SG', chain: [{ action: actionType, params: {} }] },
    actionType,
    type,
    origin: { record: { lane, offset: 0, key: null, value: null }, open: 1 },
    lost: [],
    users: '"u"',
    count: 1,
    plain: true,
    claimedAtMs: 0,
  }));
}

describe('call slots', () => {
  let clock: SettableClock;
  let calls: { work: Work; end: () => void }[];
  let released: Work[];
  let slots: CallSlots;

  function create(concurrency: number): CallSlots {
    return createCallSlots({
      actionTypes,
      concurrency,
      leaseMs: 30_000,
      serve: (work) => new Promise((resolve) => calls.push({ work, end: resolve })),
      release: (works) => released.push(...works),
      monotonicMs: () => clock.monotonicMs(),
    });
  }

  beforeEach(() => {
    clock = createSettableClock();
    calls = [];
    released = [];
    slots = create(10);
  });

  const called = () => calls.map(({ work }) => `${work.actionType}/${work.claim.batchNo}`);

  async function endCalls(afterMs: number): Promise<void> {
    clock.advance(afterMs);
    for (const { end } of calls.splice(0)) end();
    await settled();
  }

  it('start no more calls of an action type than it allows, and the next when one ends', async () => {
    slots.add(worksOf('award-reward', 3));
    expect(called()).toEqual(['award-reward/1', 'award-reward/2']);
    calls[0]?.end();
    await settled();
    expect(called()).toContain('award-reward/3');
  });

  it('let a slow action type take only its own', () => {
    slots.add(worksOf('award-reward', 100));
    slots.add(worksOf('send-message', 1));
    expect(called()).toContain('send-message/1');
  });

  it('are shared among action types in turn when all together are too many', async () => {
    slots = create(1);
    slots.add([...worksOf('award-reward', 2), ...worksOf('send-message', 2)]);
    const order: string[] = [];
    while (calls.length > 0) {
      order.push(...called());
      await endCalls(1);
    }
    expect(order).toEqual(['award-reward/1', 'send-message/1', 'award-reward/2', 'send-message/2']);
  });

  it('want one more round of claims before they know how long a call takes', () => {
    expect(slots.room('award-reward')).toBe(4);
    slots.add(worksOf('award-reward', 3));
    expect(slots.room('award-reward')).toBe(1);
  });

  it('want many claims ahead of the calls, so that a free slot does not wait for the database', async () => {
    slots.add(worksOf('award-reward', 2));
    await endCalls(20);
    expect(slots.room('award-reward')).toBe(302);
  });

  it('want no more ahead of a slow endpoint than will be called within a third of the lease', async () => {
    slots.add(worksOf('award-reward', 2));
    await endCalls(1000);
    expect(slots.room('award-reward')).toBe(22);
  });

  it('give back what waits when they close, and what comes after', async () => {
    slots.add(worksOf('award-reward', 3));
    slots.close();
    slots.add(worksOf('send-message', 1));
    expect(released.map(({ actionType }) => actionType)).toEqual(['award-reward', 'send-message']);
    expect(slots.room('award-reward')).toBe(0);
    await endCalls(1);
    await slots.idle();
    expect(calls).toEqual([]);
  });
});
