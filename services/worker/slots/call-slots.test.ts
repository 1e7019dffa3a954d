import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { createCallSlots, type CallSlots, type ReleasePause } from './call-slots.ts';
import { ratedActions } from './group-views.ts';
import type { ServedCall } from './learn-from-call.ts';
import { createSlotGroups, type SlotGroups } from './slot-groups.ts';
import type { Work } from '../work.ts';
import { configOf, countries, topics, worksOf } from './test-works.ts';

interface Call {
  work: Work;
  end: (served?: ServedCall) => void;
}

const answered: ServedCall = { end: 'answered', cause: '', pressure: null, retryAfterMs: null };
const unanswered: ServedCall = { ...answered, end: 'unanswered', cause: 'connection refused' };

describe('call slots', () => {
  let clock: SettableClock;
  let calls: Call[];
  let released: { work: Work; pause: ReleasePause | null }[];
  let groups: SlotGroups;
  let slots: CallSlots;

  let actionTypes: ReturnType<typeof configOf>['actionTypes'];

  function create(concurrency: number, total = 1000): CallSlots {
    ({ actionTypes } = configOf(concurrency));
    const shards = new Map(
      Object.keys(actionTypes).flatMap((actionType) =>
        countries.map((country) => [topics.shard({ actionType, country }), { actionType, country }] as const),
      ),
    );
    const monotonicMs = () => clock.monotonicMs();
    groups = createSlotGroups({ shards, actionTypes, concurrency: total, monotonicMs, random: () => 0.5 });
    return createCallSlots({
      groups,
      concurrency: total,
      leaseMs: 30_000,
      serve: (work) => new Promise((resolve) => calls.push({ work, end: (served = answered) => resolve(served) })),
      onReport: () => undefined,
      release: (works, pause) => released.push(...works.map((work) => ({ work, pause }))),
      monotonicMs,
    });
  }

  function reshape(): void {
    groups.reshape();
    slots.resume();
  }

  const SG = topics.shard({ actionType: 'award-reward', country: 'SG' });
  const ID = topics.shard({ actionType: 'award-reward', country: 'ID' });
  const inFlightOf = (feedId: string) => calls.filter(({ work }) => work.claim.feedId === feedId).length;

  /** Ends the calls of these feeds; what begins by it runs on. */
  async function endCalls(afterMs: number, feedIds: readonly string[], served?: ServedCall): Promise<void> {
    clock.advance(afterMs);
    const ending = calls.filter(({ work }) => feedIds.includes(work.claim.feedId));
    calls = calls.filter((call) => !ending.includes(call));
    for (const { end } of ending) end(served);
    await settled();
  }

  /** Rounds of calls of these feeds, each of `tookMs`. */
  async function rounds(count: number, tookMs: number, feedIds: readonly string[]): Promise<void> {
    for (let round = 0; round < count; round++) await endCalls(tookMs, feedIds);
  }

  beforeEach(() => {
    clock = createSettableClock();
    calls = [];
    released = [];
    slots = create(64);
  });

  it('begin few calls of a feed that nobody knows, and more with each that is answered', async () => {
    slots.add(worksOf('a', 200));
    const seen = [inFlightOf('a')];
    for (let round = 0; round < 3; round++) {
      await endCalls(20, ['a']);
      seen.push(inFlightOf('a'));
    }
    expect(seen).toEqual([4, 8, 16, 32]);
  });

  it('begin few calls of a shard that was silent, however many feeds there are: each may be a new connection', () => {
    slots.add(Array.from({ length: 50 }, (_, index) => worksOf(`f${index}`, 1)).flat());
    expect(calls).toHaveLength(8);
    clock.advance(1000);
    slots.resume();
    expect(calls).toHaveLength(18);
  });

  it('start no more calls of an action type than it allows, over all its countries', async () => {
    slots = create(10);
    slots.add([...worksOf('a', 100), ...worksOf('b', 100, { country: 'ID' })]);
    await rounds(20, 20, ['a', 'b']);
    expect(calls).toHaveLength(10);
    expect([inFlightOf('a'), inFlightOf('b')]).toEqual([5, 5]);
  });

  it('are shared evenly by what is in flight: over the shards, and inside one over its feeds', async () => {
    slots = create(32, 32);
    slots.add([
      ...worksOf('a', 400),
      ...worksOf('b', 400),
      ...worksOf('c', 400),
      ...worksOf('d', 400, { country: 'ID' }),
    ]);
    await rounds(12, 20, ['a', 'b', 'c', 'd']);
    expect(inFlightOf('d')).toBe(16);
    expect(Math.max(...['a', 'b', 'c'].map(inFlightOf)) - Math.min(...['a', 'b', 'c'].map(inFlightOf))).toBeLessThan(2);
  });

  it('have a floor beyond them for whoever comes later, and for nobody else', async () => {
    slots.add(worksOf('large', 1000));
    await rounds(10, 20, ['large']);
    expect(inFlightOf('large')).toBe(64);
    slots.add(['small', 'smaller', 'last'].flatMap((feed) => worksOf(feed, 3)));
    expect(['small', 'smaller', 'last', 'large'].map(inFlightOf)).toEqual([2, 1, 1, 64]);
  });

  it.each<[string, { country: string }]>([
    ['another country', { country: 'ID' }],
    ['another feed of the same shard', { country: 'SG' }],
  ])('cannot be filled by slow calls in %s', async (_where, where) => {
    slots = create(60);
    slots.add(worksOf('slow', 400, where));
    // Known to be slow, and alone: it has most of them, and not all.
    await rounds(6, 9000, ['slow']);
    expect(inFlightOf('slow')).toBe(50);
    slots.add(worksOf('quick', 5000));
    expect(inFlightOf('quick')).toBe(3);
    await rounds(4, 20, ['quick']);
    expect(inFlightOf('quick')).toBe(10);
    await rounds(440, 20, ['quick']);
    // As its calls end, the slow one gets few of them back.
    await endCalls(20, ['slow']);
    expect(inFlightOf('slow')).toBeLessThanOrEqual(10);
    await endCalls(20, ['quick']);
    expect(inFlightOf('quick')).toBeGreaterThan(40);
  });

  it('follow a concurrency that is changed, and with it the bound of slow calls', async () => {
    slots = create(60);
    slots.add(worksOf('slow', 800));
    await rounds(6, 9000, ['slow']);
    expect(inFlightOf('slow')).toBe(50);

    Object.assign(actionTypes, configOf(120).actionTypes);
    reshape();
    await rounds(2, 9000, ['slow']);
    expect(inFlightOf('slow')).toBe(100);

    Object.assign(actionTypes, configOf(12).actionTypes);
    reshape();
    await rounds(1, 9000, ['slow']);
    expect(inFlightOf('slow')).toBe(10);
  });

  it('follow the other bounds that are changed, in all shards of the action type', async () => {
    slots.add([...worksOf('a', 10), ...worksOf('b', 10, { country: 'ID' })]);
    await endCalls(20, ['a', 'b']);
    const [type] = Object.values(configOf(64).actionTypes);
    if (!type) throw new Error('no action type is configured');

    Object.assign(actionTypes, { 'award-reward': { ...type, ratePerSecond: { calls: 5 } } });
    reshape();

    const rated = [...ratedActions(groups.all.values(), [])];
    expect(rated).toMatchObject([
      { actionType: 'award-reward', rate: { buckets: [{ unit: 'calls', ratePerSecond: 5 }] } },
    ]);
    expect([groups.takeRate(SG, 1), groups.takeRate(ID, 1)]).toEqual([false, false]);

    Object.assign(actionTypes, { 'award-reward': type });
    reshape();
    expect([...ratedActions(groups.all.values(), [])]).toEqual([]);
    expect([groups.takeRate(SG, 1), groups.takeRate(ID, 1)]).toEqual([true, true]);
  });

  it('want as many claims ahead of the calls as end between two flushes, for each shard by its own', async () => {
    slots.add([...worksOf('quick', 20), ...worksOf('slow', 4, { country: 'ID' })]);
    for (let round = 0; round < 3; round++) await endCalls(20, ['quick']);
    slots.onFlush(0);
    const [quick, slow] = [slots.roomOf(SG, 'quick'), slots.roomOf(ID, 'slow')];
    // Its limit has grown by each of the 4 + 8 + 8 calls that ended, to 24; nothing of it is in flight or waits.
    expect(quick).toBe(24 + 1 + 20);
    expect(slow).toBe(4);
  });

  it('want more of them while flushes take long, and fewer once fewer calls end', async () => {
    slots.add(worksOf('quick', 20));
    for (let round = 0; round < 3; round++) await endCalls(20, ['quick']);
    slots.onFlush(1);
    expect(slots.roomOf(SG, 'quick')).toBe(24 + 1 + 40);
    for (let flush = 0; flush < 100; flush++) slots.onFlush(0);
    expect(slots.roomOf(SG, 'quick')).toBe(24 + 1);
  });

  it('let what is handed on be ahead by the calls of one flush more', async () => {
    slots.add(worksOf('quick', 20));
    for (let round = 0; round < 3; round++) await endCalls(20, ['quick']);
    slots.onFlush(0);
    expect(slots.roomOf(SG, 'quick', 1) - slots.roomOf(SG, 'quick')).toBe(20);
    expect(slots.room(SG, 1) - slots.room(SG)).toBe(20);
  });

  it('want no more claims of a feed than its own calls will use within a third of the lease', async () => {
    slots.add(worksOf('slow', 4));
    expect(slots.roomOf(SG, 'slow')).toBe(4);
    await endCalls(9000, ['slow']);
    for (let flush = 0; flush < 3; flush++) slots.onFlush(1);
    slots.add(worksOf('slow', 1));
    // Ten seconds, a third of the lease, are one round of nine seconds: 8 slots, and no more than 8 ahead.
    expect(slots.roomOf(SG, 'slow')).toBe(2 * 8 - 1);
    expect(slots.roomOf(SG, 'another')).toBe(8);
  });

  describe('of a shard whose endpoint is down', () => {
    async function goDown(): Promise<void> {
      slots.add([...worksOf('a', 200), ...worksOf('b', 10, { country: 'ID' })]);
      for (let round = 0; round < 3; round++) await endCalls(20, ['a'], unanswered);
    }

    it('give back what waits, with the cause and until the next probe, and want no more', async () => {
      await goDown();
      expect(released.length).toBeGreaterThan(100);
      expect(released[0]?.pause).toMatchObject({ cause: 'connection refused' });
      expect(released[0]?.pause?.delayMs).toBeGreaterThan(0);
      expect(slots.room(SG)).toBe(0);
      expect(slots.nextCallInMs([SG])).toBeGreaterThan(0);
    });

    it('leave its neighbours alone', async () => {
      await goDown();
      expect(released.every(({ work }) => work.context.country === 'SG')).toBe(true);
      expect(inFlightOf('b')).toBeGreaterThan(0);
      expect(slots.room(ID)).toBeGreaterThan(0);
    });

    it('want one claim when a probe is due, and start slowly when it is answered', async () => {
      await goDown();
      for (const { end } of calls.splice(0)) end();
      clock.advance(slots.nextCallInMs([SG]));
      expect(slots.room(SG)).toBe(1);
      slots.add(worksOf('a', 1));
      expect(slots.room(SG)).toBe(0);
      await endCalls(20, ['a']);
      expect(slots.room(SG)).toBe(2);
    });
  });

  describe('say how long results may be gathered', () => {
    it('hardly, where nothing else is under way', () => {
      expect(slots.betweenFlushesMs([])).toBe(5);
      slots.add(worksOf('a', 1));
      expect(slots.betweenFlushesMs([])).toBe(25);
    });

    it.each([
      [5, 25],
      [50, 50],
      [9000, 100],
    ])('with calls of %i ms: %i ms', async (tookMs, betweenMs) => {
      slots.add(worksOf('a', 400));
      await rounds(6, tookMs, ['a']);
      expect(slots.betweenFlushesMs([SG])).toBeCloseTo(betweenMs);
    });

    it('for two rounds of calls where few are under way, which share what a flush costs', async () => {
      slots = create(8);
      slots.add(worksOf('a', 60));
      await rounds(3, 40, ['a']);
      expect(inFlightOf('a')).toBe(8);
      expect(slots.betweenFlushesMs([SG])).toBe(80);
      await rounds(1, 400, ['a']);
      expect(slots.betweenFlushesMs([SG])).toBeLessThanOrEqual(100);
    });

    it('by the quickest endpoint: a slow one makes no neighbour wait', async () => {
      slots.add(worksOf('a', 400));
      await rounds(6, 9000, ['a']);
      slots.add(worksOf('b', 400, { country: 'ID' }));
      await endCalls(40, ['b']);
      expect(slots.betweenFlushesMs([])).toBe(40);
    });

    it('shortly, while a free slot waits for what is queued, or for what a recorded step hands on', async () => {
      slots = create(8);
      slots.add(worksOf('a', 30));
      await rounds(3, 80, ['a']);
      expect(inFlightOf('a')).toBe(8);
      expect(slots.betweenFlushesMs([SG])).toBe(100);
      expect(slots.betweenFlushesMs([ID])).toBe(25);
      await rounds(2, 80, ['a']);
      expect(inFlightOf('a')).toBeLessThan(8);
      expect(inFlightOf('a')).toBeGreaterThan(0);
      expect(slots.betweenFlushesMs([])).toBe(25);
    });
  });

  it('give back what waits when they close, and what comes after', async () => {
    slots.add(worksOf('a', 6));
    slots.close();
    slots.add(worksOf('b', 1));
    expect(released.map(({ work }) => work.claim.feedId)).toEqual(['a', 'a', 'b']);
    expect(slots.room(SG)).toBe(0);
    const idle = slots.idle();
    await endCalls(1, ['a']);
    await idle;
    expect(calls).toEqual([]);
  });
});
