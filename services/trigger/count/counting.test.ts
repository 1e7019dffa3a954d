import pLimit from 'p-limit';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryStoredAudiences } from '../../../test/support/memory/stored-audiences.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createScriptedSegmentation, failureOf, userIds } from '../../../test/support/trigger-fixture.ts';
import { countKeyOf } from '../../../shared/contracts/campaigns/exact-counts.ts';
import { createCounting } from './counting.ts';
import type { CountEnd, CountStore, OwnedCount, SavedCount } from '../ports/count-store.ts';

const pageSize = 1000;
const snapshotIn = (country: string) => ({ segment: 'all', country, snapshot: 's1' });

/** Creates a count of one segment in these countries. By default, no user has been counted yet. */
function setUp(countries: readonly string[] = ['SG'], from: Partial<OwnedCount> = {}) {
  const clock = createSettableClock();
  const segmentation = createScriptedSegmentation();
  const saved: SavedCount[] = [];
  let isOwned = true;
  const unused = () => Promise.reject(new Error('not used'));
  const counts: CountStore = {
    claim: unused,
    renew: unused,
    end: unused,
    release: unused,
    save: (_count, progress) => {
      saved.push(progress);
      return Promise.resolve(isOwned);
    },
  };
  const question = { countries: [...countries], audience: { include: [{ segment: 'all' }] } };
  const count = { countId: 'c', question, countries: [], place: null, resolved: null, token: 1, ...from };
  const stopping = new AbortController();
  const counting = createCounting(count, {
    counts,
    segmentation,
    storedAudiences: createMemoryStoredAudiences({ database: createMemoryDatabase(clock) }),
    requestLimit: pLimit(4),
    pageSize,
    clock,
    random: () => 0.5,
    logger: pino({ level: 'silent' }),
  });
  let end: CountEnd | null | undefined;
  void counting.run(stopping.signal).then((ended) => {
    end = ended;
  });
  return {
    clock,
    segmentation,
    saved,
    question,
    counting,
    stop: () => stopping.abort(),
    end: () => end,
    loseIt: () => {
      isOwned = false;
    },
    usersOf: () => counting.countries().map(({ country, users, done }) => [country, users, done]),
  };
}

describe('a count of an audience', () => {
  it('reads each country to its end, and stores the key of the snapshots that it has counted', async () => {
    const { clock, segmentation, end, usersOf, saved, question } = setUp(['SG', 'ID']);
    segmentation.users.set('SG', userIds(2500)).set('ID', userIds(10));
    await passTime(clock, 1000);
    expect(end()).toEqual({ state: 'done', key: countKeyOf(question, [snapshotIn('SG'), snapshotIn('ID')]) });
    expect(usersOf()).toEqual([
      ['SG', 2500, true],
      ['ID', 10, true],
    ]);
    expect(saved.at(-1)).toMatchObject({ place: null, cause: null });
    // Only the first save stores the resolved sources.
    expect(saved.map(({ resolved }) => resolved !== null)).toEqual([true, false]);
    expect(segmentation.pagesRequested.map(({ country, after }) => [country, after])).toEqual([
      ['SG', null],
      ['SG', 'user-000999'],
      ['SG', 'user-001999'],
      ['ID', null],
    ]);
  });

  it('continues after the users that another trigger counted', async () => {
    const counted = { excluded: 0, shared: 0, withUsers: null, both: null, parts: null };
    const { clock, segmentation, end, usersOf } = setUp(['SG'], {
      countries: [{ country: 'SG', done: false, users: 2000, ...counted }],
      place: { country: 'SG', cursor: 'user-001999', restarts: 0 },
      resolved: [[{ country: 'SG', isExcluded: false, source: { segment: 'all', snapshot: 's1', estimate: null } }]],
    });
    segmentation.users.set('SG', userIds(2500));
    await passTime(clock, 1000);
    expect(end()).toMatchObject({ state: 'done' });
    expect(usersOf()).toEqual([['SG', 2500, true]]);
    expect(segmentation.pagesRequested.map(({ after }) => after)).toEqual(['user-001999']);
  });

  it('reads 20,000 users a second, and saves its progress every two seconds', async () => {
    const { clock, segmentation, end, saved } = setUp();
    segmentation.users.set('SG', userIds(100_000));
    await passTime(clock, 1990);
    expect(saved).toEqual([]);
    await passTime(clock, 2500);
    expect(saved.map(({ place }) => place?.country)).toEqual(['SG', 'SG']);
    expect(end()).toBeUndefined();
    await passTime(clock, 600);
    expect(end()).toMatchObject({ state: 'done' });
    expect(saved).toHaveLength(3);
  });

  it('stores why it waits, and fails at the eleventh page in a row that is unavailable', async () => {
    const { clock, segmentation, end, saved } = setUp();
    segmentation.users.set('SG', userIds(10));
    segmentation.pageFailure = failureOf('unavailable');
    await passTime(clock, 200_000);
    expect(end()).toBeUndefined();
    await passTime(clock, 200_000);
    expect(end()).toEqual({ state: 'failed', cause: saved.at(-1)?.cause });
    expect(saved).toHaveLength(10);
    expect(saved.every(({ cause }) => cause?.includes('unavailable'))).toBe(true);
  });

  it('does not fail after 16 unavailable pages if others arrive between them', async () => {
    const { clock, segmentation, end, saved } = setUp();
    segmentation.users.set('SG', userIds(1500));
    const page = segmentation.page.bind(segmentation);
    let pages = 0;
    segmentation.page = (request, signal) => {
      segmentation.pageFailure = ++pages % 9 === 0 ? null : failureOf('unavailable');
      return page(request, signal);
    };
    await passTime(clock, 600_000);
    expect(end()).toMatchObject({ state: 'done' });
    expect(saved.filter(({ cause }) => cause !== null)).toHaveLength(16);
  });

  it('starts a country again if its snapshot no longer exists, and fails after the fourth time', async () => {
    const { clock, segmentation, end, usersOf } = setUp();
    segmentation.users.set('SG', userIds(3000));
    await passTime(clock, 60);
    expect(usersOf()).toEqual([['SG', 2000, false]]);
    segmentation.snapshot = 's2';
    await passTime(clock, 1000);
    expect(end()).toMatchObject({ state: 'done' });
    expect(usersOf()).toEqual([['SG', 3000, true]]);

    const never = setUp();
    never.segmentation.users.set('SG', userIds(3000));
    const page = never.segmentation.page.bind(never.segmentation);
    let pages = 0;
    never.segmentation.page = (request, signal) => {
      // The snapshot disappears before every second page. The repeated request finds the next snapshot.
      if (request.after !== null && pages++ % 2 === 0) never.segmentation.snapshot = `gone-${pages}`;
      return page(request, signal);
    };
    await passTime(never.clock, 60_000);
    expect(pages).toBe(8);
    expect(never.end()).toEqual({ state: 'failed', cause: 'its snapshot in SG went 4 times before it was counted' });
  });

  it('fails for a segment that does not exist, and waits for an unavailable service', async () => {
    const missing = setUp();
    missing.segmentation.failure = failureOf('not-found');
    await passTime(missing.clock, 1000);
    expect(missing.end()).toMatchObject({ state: 'failed' });

    const { clock, segmentation, end, saved } = setUp();
    segmentation.users.set('SG', userIds(10));
    segmentation.failure = failureOf('unavailable');
    await passTime(clock, 5000);
    expect([end(), saved.at(-1)?.cause?.includes('unavailable')]).toEqual([undefined, true]);
    segmentation.failure = null;
    await passTime(clock, 60_000);
    expect(end()).toMatchObject({ state: 'done' });
  });

  it('ends without a result if it is stopped, or if another trigger has claimed it', async () => {
    const stopped = setUp();
    stopped.segmentation.users.set('SG', userIds(100_000));
    await passTime(stopped.clock, 500);
    stopped.stop();
    await passTime(stopped.clock, 500);
    expect(stopped.end()).toBeNull();
    expect(stopped.segmentation.pagesRequested.length).toBeLessThan(20);

    const lost = setUp();
    lost.segmentation.users.set('SG', userIds(100_000));
    lost.loseIt();
    await passTime(lost.clock, 2500);
    expect(lost.end()).toBeNull();
    const pagesBefore = lost.segmentation.pagesRequested.length;
    await passTime(lost.clock, 1000);
    expect(lost.segmentation.pagesRequested).toHaveLength(pagesBefore);
  });
});
