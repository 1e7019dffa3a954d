import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { createClaimRooms } from '../intake/claim-rooms.ts';
import { createCallSlots, type CallSlots, type ReleasePause } from './call-slots.ts';
import { ratedActions } from './group-views.ts';
import type { ServedCall } from './learn-from-call.ts';
import { createSlotGroups, type SlotGroups } from './slot-groups.ts';
import type { Work } from '../step/work.ts';
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

  it('want no more claims of a slow feed than it may call, and leave the other slots to claims of quick ones', async () => {
    slots = create(60);
    slots.add(worksOf('slow', 400));
    await rounds(6, 9000, ['slow']);
    slots.add(worksOf('quick', 10));
    await rounds(6, 20, ['quick']);
    await endCalls(20, ['slow']);
    expect(inFlightOf('slow')).toBe(10);
    expect(slots.waitingFeeds()).toEqual(['slow']);
    expect(slots.room(SG)).toBeGreaterThanOrEqual(50);
    slots.releaseFeeds(['slow']);
    // One ahead of its calls.
    expect(slots.roomOf(SG, 'slow')).toBe(1);
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
      for (let round = 0; round < 4; round++) await endCalls(20, ['a'], unanswered);
    }

    it('give back what waits, with the cause and until the next probe, and want no more', async () => {
      await goDown();
      expect(released.length).toBeGreaterThan(100);
      expect(released[0]?.pause).toMatchObject({ cause: 'connection refused' });
      expect(released[0]?.pause?.delayMs).toBeGreaterThan(0);
      expect(slots.roomOf(SG, 'a')).toBe(0);
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
      expect(slots.roomOf(SG, 'a')).toBe(1);
      slots.add(worksOf('a', 1));
      expect(slots.roomOf(SG, 'a')).toBe(0);
      await endCalls(20, ['a']);
      expect(slots.room(SG)).toBe(2);
    });
  });

  describe('for a shard in which one feed is answered badly', () => {
    const timedOut: ServedCall = { ...unanswered, cause: 'no answer', pressure: 'timed-out' };
    const throttled: ServedCall = { ...unanswered, pressure: 'throttled', retryAfterMs: 5000 };

    beforeEach(async () => {
      slots = create(40);
      slots.add([...worksOf('bad', 400), ...worksOf('good', 400)]);
      await rounds(6, 150, ['bad', 'good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([20, 20]);
    });

    it.each([
      ['not answered', unanswered],
      ['timed out', timedOut],
      ['throttled', throttled],
    ])('give all slots to the others when its calls are %s', async (_how, served) => {
      for (let round = 0; round < 3; round++) {
        await endCalls(150, ['good']);
        await endCalls(0, ['bad'], served);
      }
      await rounds(2, 150, ['good']);
      expect(inFlightOf('bad')).toBeLessThanOrEqual(1);
      expect(inFlightOf('good')).toBeGreaterThanOrEqual(39);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(released.every(({ work }) => work.claim.feedId === 'bad')).toBe(true);
      expect(slots.roomOf(SG, 'bad')).toBeLessThanOrEqual(1);
    });

    it('give back what is claimed of it while it may not call, and during its only call', async () => {
      await endCalls(150, ['good']);
      for (let round = 0; round < 2; round++) await endCalls(0, ['bad'], unanswered);
      expect(inFlightOf('bad')).toBe(0);
      released = [];
      slots.add(worksOf('bad', 3));
      expect(released).toHaveLength(3);
      expect(released[0]?.pause).toMatchObject({ cause: 'connection refused' });
      expect(released[0]?.pause?.delayMs).toBeGreaterThan(0);

      clock.advance(5000);
      slots.add(worksOf('bad', 3));
      expect(inFlightOf('bad')).toBe(1);
      expect(released).toHaveLength(3);
      await endCalls(20, ['bad'], unanswered);
      expect(released).toHaveLength(5);
    });

    it('give back what waits of the good one when its calls fail after the store has opened the breaker', async () => {
      await endCalls(150, ['good']);
      const look = {
        actionType: 'award-reward',
        country: 'SG',
        state: 'open',
        cause: 'is down',
        retryInMs: 9000,
      } as const;
      groups.of(SG).breaker.onLook(look, clock.monotonicMs());
      slots.onOpened(SG);
      expect(slots.waitingFeeds()).toContain('good');
      await endCalls(150, ['good'], unanswered);
      expect(slots.waitingFeeds()).not.toContain('good');
      expect(released.at(-1)?.pause).toMatchObject({ cause: 'is down' });
    });

    it('lend the slots of its calls that hang, until these end', async () => {
      for (let round = 0; round < 5; round++) await endCalls(150, ['good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([20, 40]);
      await endCalls(10_000, ['bad'], timedOut);
      await rounds(2, 150, ['good']);
      expect(inFlightOf('bad') + inFlightOf('good')).toBeLessThanOrEqual(41);
    });

    it('lend those of slow calls that hang to another slow feed', async () => {
      slots = create(12);
      calls = [];
      slots.add([...worksOf('bad', 200), ...worksOf('good', 200)]);
      await rounds(6, 2000, ['bad', 'good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([5, 5]);
      for (let round = 0; round < 8; round++) await endCalls(2000, ['good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([5, 10]);
    });

    it('keep the breaker closed if its calls failed late and another feed was answered since they began', async () => {
      await endCalls(30_000, ['bad'], unanswered);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(groups.of(SG).lines.get('bad')?.guard.isTroubled).toBe(true);
    });

    it('keep the limit if calls of two feeds timed out late and a third was answered since they began', async () => {
      slots.add(worksOf('worse', 10));
      await rounds(3, 150, ['good']);
      expect(inFlightOf('worse')).toBeGreaterThan(0);
      const limit = () => groups.of(SG).adaptive.allowed(clock.monotonicMs());
      const before = limit();
      await endCalls(30_000, ['bad', 'worse'], timedOut);
      expect(limit()).toBe(before);
    });

    it('cut the limit if calls of two feeds that hang time out far apart', async () => {
      const limit = () => groups.of(SG).adaptive.allowed(clock.monotonicMs());
      const oldestOf = (feedId: string) => calls.find(({ work }) => work.claim.feedId === feedId);
      const [bad, worse] = [oldestOf('bad'), oldestOf('good')];
      const before = limit();
      clock.advance(5000);
      bad?.end(timedOut);
      await settled();
      expect(limit()).toBe(before);
      clock.advance(15_000);
      worse?.end(timedOut);
      await settled();
      expect(limit()).toBeLessThanOrEqual(before / 2);
    });

    it('lend to all feeds while one is answered whose calls take longer than ten seconds', async () => {
      await rounds(3, 20_000, ['good']);
      const { pool } = groups.of(SG);
      clock.advance(15_000);
      slots.room(SG);
      expect(pool.isServed).toBe(true);
      // Four times as long as these calls take.
      clock.advance(65_000);
      slots.room(SG);
      expect(pool.isServed).toBe(false);
    });

    it('keep what waits of a feed whose calls take longer than ten seconds if the store opens the breaker', async () => {
      slots = create(12);
      calls = [];
      slots.add(worksOf('slow', 40));
      await rounds(3, 20_000, ['slow']);
      clock.advance(15_000);
      slots.onOpened(SG);
      expect(slots.waitingFeeds()).toEqual(['slow']);
      clock.advance(70_000);
      slots.room(SG);
      slots.onOpened(SG);
      expect(slots.waitingFeeds()).toEqual([]);
    });

    it('lend four to new feeds while nobody is answered', () => {
      clock.advance(20_000);
      slots.add(Array.from({ length: 8 }, (_, index) => worksOf(`new${index}`, 4)).flat());
      const counts = Array.from({ length: 8 }, (_, index) => inFlightOf(`new${index}`));
      // The floor of two beyond the concurrency as well.
      expect(counts.reduce((sum, count) => sum + count)).toBe(6);
    });
  });

  describe('for a shard whose breaker one feed has opened', () => {
    beforeEach(async () => {
      slots.add(worksOf('bad', 200));
      for (let round = 0; round < 4; round++) await endCalls(20, ['bad'], unanswered);
    });

    it('let a feed make one call that has not met it, and all feeds but the bad one when that is answered', async () => {
      expect(slots.roomOf(SG, 'new')).toBe(1);
      slots.add(worksOf('new', 20));
      expect(inFlightOf('new')).toBe(1);
      await endCalls(20, ['new']);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(inFlightOf('new')).toBeGreaterThan(1);
      expect(slots.roomOf(SG, 'bad')).toBeLessThanOrEqual(1);
    });

    it('start slowly if such a call is answered and several feeds had failed', async () => {
      slots.add(worksOf('failed', 1));
      await endCalls(20, ['failed'], unanswered);
      clock.advance(100);
      slots.add(worksOf('new', 20));
      await endCalls(20, ['new']);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(inFlightOf('new')).toBe(2);
    });

    it('give back what waits of such a feed when its call fails too', async () => {
      slots.add(worksOf('new', 20));
      released = [];
      await endCalls(20, ['new'], unanswered);
      expect(released).toHaveLength(19);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(true);
      expect(slots.roomOf(SG, 'new')).toBe(0);
    });

    it('claim one step for the probe over all feeds that failed, and give back what they have beyond it', async () => {
      const failed = ['bad', 'new0', 'new1', 'new2'];
      for (const feed of failed.slice(1)) {
        clock.advance(100);
        slots.add(worksOf(feed, 1));
        await endCalls(20, [feed], unanswered);
      }
      clock.advance(slots.nextCallInMs([SG]));
      const rooms = createClaimRooms({ slots, checks: { roomOf: () => null } }).in(SG);
      const claimed = failed.filter((feed) => {
        const room = rooms.of(feed, 1);
        rooms.use(feed, 1, room);
        return room > 0;
      });
      expect(claimed).toHaveLength(1);

      released = [];
      slots.add(failed.flatMap((feed) => worksOf(feed, 1)));
      expect(calls).toHaveLength(1);
      expect(released).toHaveLength(3);
      // Four first-hand calls, of feeds that have not failed.
      expect([...failed, 'healthy'].map((feed) => slots.roomOf(SG, feed))).toEqual([0, 0, 0, 0, 1]);
      expect(slots.room(SG)).toBe(4);
    });

    it('make one probe at a time, also if it hangs', async () => {
      slots.add(worksOf('new', 1));
      await endCalls(20, ['new'], unanswered);
      clock.advance(slots.nextCallInMs([SG]));
      slots.add(worksOf('bad', 1));
      expect(calls).toHaveLength(1);
      for (let round = 0; round < 5; round++) {
        clock.advance(500);
        slots.add(worksOf('new', 1));
      }
      expect(calls).toHaveLength(1);
    });

    it('make such calls for few feeds at once', () => {
      slots.add(Array.from({ length: 20 }, (_, index) => worksOf(`new${index}`, 1)).flat());
      for (let round = 0; round < 5; round++) {
        clock.advance(100);
        slots.resume();
      }
      expect(calls).toHaveLength(4);
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
