import { beforeEach, describe, expect, it } from 'vitest';
import type { Verdict } from '../../../shared/domain/run/admission.ts';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { createClaimRooms } from '../intake/claim-rooms.ts';
import { createCallSlots, type CallSlots, type ReleasePause } from './call-slots.ts';
import { ratedActions } from './group-views.ts';
import type { ServedCall } from './learn-from-call.ts';
import { createSlotGroups, type SlotGroups } from './slot-groups.ts';
import type { Work } from '../step/work.ts';
import { configOf, countries, topics, worksOf } from './test-works.ts';

const go: Admission = { verdict: 'go', deadlineAtMs: Number.POSITIVE_INFINITY };

interface Call {
  work: Work;
  end: (end?: End) => void;
}

type End = Omit<ServedCall, 'startedMs'>;
const answered: End = { end: 'answered', cause: '', pressure: null, retryAfterMs: null };
const unanswered: End = { ...answered, end: 'unanswered', cause: 'connection refused' };

describe('call slots', () => {
  let clock: SettableClock;
  let calls: Call[];
  /** Feeds whose runs must be read before a call, and the reads that are in progress. */
  let unread: Set<string>;
  let reads: ((verdict: Verdict) => void)[];
  /** Milliseconds from taking a slot until its call is sent. */
  let beforeCallMs: number;
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
      serve: (work) => {
        const startedMs = monotonicMs() + beforeCallMs;
        return new Promise((resolve) => calls.push({ work, end: (end = answered) => resolve({ ...end, startedMs }) }));
      },
      admissionOf: (feedId) => (unread.has(feedId) ? read(feedId) : go),
      onReport: () => undefined,
      release: (works, pause) => released.push(...works.map((work) => ({ work, pause }))),
      monotonicMs,
    });
  }

  function read(feedId: string): Promise<Admission> {
    return new Promise((resolve) =>
      reads.push((verdict) => {
        unread.delete(feedId);
        resolve({ ...go, verdict });
      }),
    );
  }

  function reshape(): void {
    groups.reshape();
    slots.resume();
  }

  const SG = topics.shard({ actionType: 'award-reward', country: 'SG' });
  const ID = topics.shard({ actionType: 'award-reward', country: 'ID' });
  const inFlightOf = (feedId: string) => calls.filter(({ work }) => work.claim.feedId === feedId).length;

  /** Ends the calls of these feeds after `afterMs`. Calls that begin because of this do not end. */
  async function endCalls(afterMs: number, feedIds: readonly string[], served?: End): Promise<void> {
    clock.advance(afterMs);
    const ending = calls.filter(({ work }) => feedIds.includes(work.claim.feedId));
    calls = calls.filter((call) => !ending.includes(call));
    for (const { end } of ending) end(served);
    await settled();
  }

  /** Ends `count` rounds of calls of these feeds. Each call takes `tookMs`. */
  async function rounds(count: number, tookMs: number, feedIds: readonly string[]): Promise<void> {
    for (let round = 0; round < count; round++) await endCalls(tookMs, feedIds);
  }

  beforeEach(() => {
    clock = createSettableClock();
    calls = [];
    unread = new Set();
    reads = [];
    beforeCallMs = 0;
    released = [];
    slots = create(64);
  });

  it('are few for a new feed, and double with each round of answered calls', async () => {
    slots.add(worksOf('a', 200));
    const seen = [inFlightOf('a')];
    for (let round = 0; round < 3; round++) {
      await endCalls(20, ['a']);
      seen.push(inFlightOf('a'));
    }
    expect(seen).toEqual([4, 8, 16, 32]);
  });

  it('are few for a shard after a pause, over all its feeds, because each call may open a connection', () => {
    slots.add(Array.from({ length: 50 }, (_, index) => worksOf(`f${index}`, 1)).flat());
    expect(calls).toHaveLength(8);
    clock.advance(1000);
    slots.resume();
    expect(calls).toHaveLength(18);
  });

  it('stay within the concurrency of an action type over all its countries', async () => {
    slots = create(10);
    slots.add([...worksOf('a', 100), ...worksOf('b', 100, { country: 'ID' })]);
    await rounds(20, 20, ['a', 'b']);
    expect(calls).toHaveLength(10);
    expect([inFlightOf('a'), inFlightOf('b')]).toEqual([5, 5]);
  });

  it('are shared evenly by the number of calls in flight: first between shards, then between the feeds of a shard', async () => {
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

  it('include a guaranteed minimum for feeds that arrive when another feed has all slots', async () => {
    slots.add(worksOf('large', 1000));
    await rounds(10, 20, ['large']);
    expect(inFlightOf('large')).toBe(64);
    slots.add(['small', 'smaller', 'last'].flatMap((feed) => worksOf(feed, 3)));
    expect(['small', 'smaller', 'last', 'large'].map(inFlightOf)).toEqual([2, 1, 1, 64]);
  });

  it.each<[string, { country: string }]>([
    ['another country', { country: 'ID' }],
    ['another feed of the same shard', { country: 'SG' }],
  ])('cannot all be taken by slow calls of %s', async (_where, where) => {
    slots = create(60);
    slots.add(worksOf('slow', 400, where));
    // The feed is known to be slow. While it is alone, it gets most slots, but not all.
    await rounds(6, 9000, ['slow']);
    expect(inFlightOf('slow')).toBe(50);
    slots.add(worksOf('quick', 5000));
    expect(inFlightOf('quick')).toBe(3);
    await rounds(4, 20, ['quick']);
    expect(inFlightOf('quick')).toBe(10);
    await rounds(440, 20, ['quick']);
    // The slow feed gets back few of the slots of its calls that end.
    await endCalls(20, ['slow']);
    expect(inFlightOf('slow')).toBeLessThanOrEqual(10);
    await endCalls(20, ['quick']);
    expect(inFlightOf('quick')).toBeGreaterThan(40);
  });

  it('allow few claims of a slow feed, and leave the other slots to claims of quick feeds', async () => {
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
    // The feed may have one claim in addition to its calls.
    expect(slots.roomOf(SG, 'slow')).toBe(1);
  });

  it('follow a changed concurrency, and so does the share of slow calls', async () => {
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

  it('follow a changed rate in all shards of the action type', async () => {
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

  it('allow as many additional claims of each shard as calls end between two flushes', async () => {
    slots.add([...worksOf('quick', 20), ...worksOf('slow', 4, { country: 'ID' })]);
    for (let round = 0; round < 3; round++) await endCalls(20, ['quick']);
    slots.onFlush(0);
    const [quick, slow] = [slots.roomOf(SG, 'quick'), slots.roomOf(ID, 'slow')];
    // The limit of the quick feed has grown to 24: 4 at first, and 20 answers of 4 + 8 + 8 calls. None of its calls is
    // in flight or waits.
    expect(quick).toBe(24 + 1 + 20);
    expect(slow).toBe(4);
  });

  it('allow more additional claims while flushes take long, and fewer when fewer calls end', async () => {
    slots.add(worksOf('quick', 20));
    for (let round = 0; round < 3; round++) await endCalls(20, ['quick']);
    slots.onFlush(1);
    expect(slots.roomOf(SG, 'quick')).toBe(24 + 1 + 40);
    for (let flush = 0; flush < 100; flush++) slots.onFlush(0);
    expect(slots.roomOf(SG, 'quick')).toBe(24 + 1);
  });

  it('allow additional claims for next steps that the worker keeps, as many as calls end in one flush interval', async () => {
    slots.add(worksOf('quick', 20));
    for (let round = 0; round < 3; round++) await endCalls(20, ['quick']);
    slots.onFlush(0);
    expect(slots.roomOf(SG, 'quick', 1) - slots.roomOf(SG, 'quick')).toBe(20);
    expect(slots.room(SG, 1) - slots.room(SG)).toBe(20);
  });

  it('allow only as many claims of a feed as it can call within a third of the lease', async () => {
    slots.add(worksOf('slow', 4));
    expect(slots.roomOf(SG, 'slow')).toBe(4);
    await endCalls(9000, ['slow']);
    for (let flush = 0; flush < 3; flush++) slots.onFlush(1);
    slots.add(worksOf('slow', 1));
    // A third of the lease is ten seconds, which is one round of calls of nine seconds: 8 slots, and at most 8
    // additional claims.
    expect(slots.roomOf(SG, 'slow')).toBe(2 * 8 - 1);
    expect(slots.roomOf(SG, 'another')).toBe(8);
  });

  describe('call slots while a run is read', () => {
    it('serve other feeds, and the feed itself once the run is known to proceed', async () => {
      slots = create(4);
      unread.add('a');
      slots.add([...worksOf('a', 4), ...worksOf('b', 4)]);
      await rounds(2, 20, ['b']);
      expect([inFlightOf('a'), inFlightOf('b'), reads.length]).toEqual([0, 1, 1]);
      reads[0]?.('go');
      await settled();
      expect(inFlightOf('a')).toBe(1);
    });

    it('never begin more calls than their concurrency, however long the reads of runs take', async () => {
      slots = create(8);
      slots.add([...worksOf('a', 60), ...worksOf('b', 60)]);
      await rounds(4, 20, ['a', 'b']);
      unread = new Set(['a', 'b']);
      await endCalls(20, ['a', 'b']);
      clock.advance(1800);
      slots.resume();
      expect(calls).toEqual([]);
      for (const end of reads) end('go');
      await settled();
      expect(calls).toHaveLength(8);
    });

    it('release the steps of the feed if its run is paused or its state cannot be read', async () => {
      unread.add('a');
      slots.add(worksOf('a', 3));
      reads[0]?.('hold');
      await settled();
      expect(released.map(({ pause }) => pause)).toEqual([null, null, null]);
      expect(calls).toEqual([]);
    });

    it('do not count the time before a call is sent as part of its duration', async () => {
      slots = create(12);
      beforeCallMs = 1800;
      slots.add(worksOf('a', 200));
      await rounds(4, 2000, ['a']);
      expect(inFlightOf('a')).toBe(12);
    });
  });

  describe('call slots of a shard whose endpoint is down', () => {
    async function goDown(): Promise<void> {
      slots.add([...worksOf('a', 200), ...worksOf('b', 10, { country: 'ID' })]);
      for (let round = 0; round < 4; round++) await endCalls(20, ['a'], unanswered);
    }

    it('release waiting steps, with the cause, until the next probe, and allow no further claims', async () => {
      await goDown();
      expect(released.length).toBeGreaterThan(100);
      expect(released[0]?.pause).toMatchObject({ cause: 'connection refused' });
      expect(released[0]?.pause?.delayMs).toBeGreaterThan(0);
      expect(slots.roomOf(SG, 'a')).toBe(0);
      expect(slots.nextCallInMs([SG])).toBeGreaterThan(0);
    });

    it('do not limit the calls of other shards', async () => {
      await goDown();
      expect(released.every(({ work }) => work.context.country === 'SG')).toBe(true);
      expect(inFlightOf('b')).toBeGreaterThan(0);
      expect(slots.room(ID)).toBeGreaterThan(0);
    });

    it('allow one claim if a probe is due, and few calls after the probe is answered', async () => {
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

  describe('call slots of a shard in which the calls of one feed fail', () => {
    const timedOut: End = { ...unanswered, cause: 'no answer', pressure: 'timed-out' };
    const throttled: End = { ...unanswered, pressure: 'throttled', retryAfterMs: 5000 };

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
    ])('can be used by other feeds if the calls of one feed are %s', async (_how, served) => {
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

    it('release the claims of the failing feed while it may not call, and during its only call', async () => {
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

    it('release the steps of the healthy feed too if its calls fail while the breaker is open', async () => {
      await endCalls(150, ['good']);
      const poll = {
        actionType: 'award-reward',
        country: 'SG',
        state: 'open',
        cause: 'is down',
        retryInMs: 9000,
      } as const;
      groups.of(SG).breaker.onGuardRead(poll, clock.monotonicMs());
      slots.onOpened(SG);
      expect(slots.waitingFeeds()).toContain('good');
      await endCalls(150, ['good'], unanswered);
      expect(slots.waitingFeeds()).not.toContain('good');
      expect(released.at(-1)?.pause).toMatchObject({ cause: 'is down' });
    });

    it('are lent to the other feed while calls of the failing feed hang', async () => {
      for (let round = 0; round < 5; round++) await endCalls(150, ['good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([20, 40]);
      await endCalls(10_000, ['bad'], timedOut);
      await rounds(2, 150, ['good']);
      expect(inFlightOf('bad') + inFlightOf('good')).toBeLessThanOrEqual(41);
    });

    it('are lent to a second, slow feed while the calls of the failing feed hang', async () => {
      slots = create(12);
      calls = [];
      slots.add([...worksOf('bad', 200), ...worksOf('good', 200)]);
      await rounds(6, 2000, ['bad', 'good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([5, 5]);
      for (let round = 0; round < 8; round++) await endCalls(2000, ['good']);
      expect([inFlightOf('bad'), inFlightOf('good')]).toEqual([5, 10]);
    });

    it('leave the breaker closed if the failed calls began before another feed was last answered', async () => {
      await endCalls(30_000, ['bad'], unanswered);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(groups.of(SG).lines.get('bad')?.guard.isTroubled).toBe(true);
    });

    it('leave the limit unchanged if the timed-out calls of two feeds began before a third feed was last answered', async () => {
      slots.add(worksOf('worse', 10));
      await rounds(3, 150, ['good']);
      expect(inFlightOf('worse')).toBeGreaterThan(0);
      const limit = () => groups.of(SG).adaptive.allowed(clock.monotonicMs());
      const before = limit();
      await endCalls(30_000, ['bad', 'worse'], timedOut);
      expect(limit()).toBe(before);
    });

    it('halve the limit if calls of two feeds time out 15 s apart', async () => {
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

    it('are lent while another feed is answered, even if its calls take more than ten seconds', async () => {
      await rounds(3, 20_000, ['good']);
      const { pool } = groups.of(SG);
      clock.advance(15_000);
      slots.room(SG);
      expect(pool.isServed).toBe(true);
      // This is four times the usual duration of these calls.
      clock.advance(65_000);
      slots.room(SG);
      expect(pool.isServed).toBe(false);
    });

    it('keep the waiting steps of a feed with slow calls if the breaker in the store opens', async () => {
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

    it('are lent to new feeds while no feed is answered, but at most four', () => {
      clock.advance(20_000);
      slots.add(Array.from({ length: 8 }, (_, index) => worksOf(`new${index}`, 4)).flat());
      const counts = Array.from({ length: 8 }, (_, index) => inFlightOf(`new${index}`));
      // The number includes the minimum of two calls beyond the concurrency.
      expect(counts.reduce((sum, count) => sum + count)).toBe(6);
    });
  });

  describe('call slots of a shard with a breaker that one feed has opened', () => {
    beforeEach(async () => {
      slots.add(worksOf('bad', 200));
      for (let round = 0; round < 4; round++) await endCalls(20, ['bad'], unanswered);
    });

    it('allow one call of a new feed, and after its answer, all calls except those of the failing feed', async () => {
      expect(slots.roomOf(SG, 'new')).toBe(1);
      slots.add(worksOf('new', 20));
      expect(inFlightOf('new')).toBe(1);
      await endCalls(20, ['new']);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(inFlightOf('new')).toBeGreaterThan(1);
      expect(slots.roomOf(SG, 'bad')).toBeLessThanOrEqual(1);
    });

    it('are few after the answer to a new feed if several feeds had failed', async () => {
      slots.add(worksOf('failed', 1));
      await endCalls(20, ['failed'], unanswered);
      clock.advance(100);
      slots.add(worksOf('new', 20));
      await endCalls(20, ['new']);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(false);
      expect(inFlightOf('new')).toBe(2);
    });

    it('release the waiting steps of a new feed if its one call fails too', async () => {
      slots.add(worksOf('new', 20));
      released = [];
      await endCalls(20, ['new'], unanswered);
      expect(released).toHaveLength(19);
      expect(groups.of(SG).breaker.isOpen(clock.monotonicMs())).toBe(true);
      expect(slots.roomOf(SG, 'new')).toBe(0);
    });

    it('allow one claim for the probe of all failed feeds together, and release their other steps', async () => {
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
      // Four feeds that have not failed may each have one first call.
      expect([...failed, 'healthy'].map((feed) => slots.roomOf(SG, feed))).toEqual([0, 0, 0, 0, 1]);
      expect(slots.room(SG)).toBe(4);
    });

    it('allow one probe at a time, even if it hangs', async () => {
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

    it('allow first calls for at most four new feeds at once', () => {
      slots.add(Array.from({ length: 20 }, (_, index) => worksOf(`new${index}`, 1)).flat());
      for (let round = 0; round < 5; round++) {
        clock.advance(100);
        slots.resume();
      }
      expect(calls).toHaveLength(4);
    });
  });

  describe('the time between two flushes of call slots', () => {
    it('is 5 ms without calls in flight and 25 ms with the first call', () => {
      expect(slots.betweenFlushesMs([])).toBe(5);
      slots.add(worksOf('a', 1));
      expect(slots.betweenFlushesMs([])).toBe(25);
    });

    it.each([
      [5, 25],
      [50, 50],
      [9000, 100],
    ])('is, with calls of %i ms, %i ms', async (tookMs, betweenMs) => {
      slots.add(worksOf('a', 400));
      await rounds(6, tookMs, ['a']);
      expect(slots.betweenFlushesMs([SG])).toBeCloseTo(betweenMs);
    });

    it('is two call durations while at most eight calls are in flight', async () => {
      slots = create(8);
      slots.add(worksOf('a', 60));
      await rounds(3, 40, ['a']);
      expect(inFlightOf('a')).toBe(8);
      expect(slots.betweenFlushesMs([SG])).toBe(80);
      await rounds(1, 400, ['a']);
      expect(slots.betweenFlushesMs([SG])).toBeLessThanOrEqual(100);
    });

    it('follows the fastest endpoint, so that a slow endpoint does not delay the others', async () => {
      slots.add(worksOf('a', 400));
      await rounds(6, 9000, ['a']);
      slots.add(worksOf('b', 400, { country: 'ID' }));
      await endCalls(40, ['b']);
      expect(slots.betweenFlushesMs([])).toBe(40);
    });

    it('is short while a free slot waits for queued steps or for next steps that the worker keeps', async () => {
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

  it('release waiting steps, and all steps that are added later, after the slots are closed', async () => {
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
