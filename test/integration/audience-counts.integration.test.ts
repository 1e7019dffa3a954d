import pLimit from 'p-limit';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApi, type Api } from '../../services/api/api.ts';
import { createAudienceCounter } from '../../services/trigger/count/audience-counter.ts';
import { createCounting } from '../../services/trigger/count/counting.ts';
import type { OwnedCount } from '../../services/trigger/ports/count-store.ts';
import { createCountStore } from '../../services/trigger/count/postgres/count-store.ts';
import { exactCount } from '../../shared/contracts/campaigns/exact-counts.ts';
import { compareUserIds } from '../../shared/domain/ids/user-id.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Segmentation, SegmentationFailure } from '../../shared/ports/segmentation.ts';
import { createStoredAudiences } from '../../shared/postgres/audiences/stored-audiences.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { createMemoryChangeFeed } from '../support/memory/change-feed.ts';

const on = apiOnPostgres();
const never = new AbortController().signal;

let api: Api;
/** Users by `segment/country`. */
let users: Record<string, string[]>;
let snapshot: string;
let failure: SegmentationFailure | null;
/** The test's function that is called before each page. */
let onPage: () => void;

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => `u${1000 + first + i}`);

const segmentation: Segmentation = {
  describe: (id, country) => {
    const members = users[`${id}/${country}`];
    const gone = { kind: 'not-found', cause: 'HTTP 404', retryAfterMs: null } as const;
    if (failure ?? !members) return Promise.resolve({ ok: false, failure: failure ?? gone });
    return Promise.resolve({ ok: true, value: { id, country, estimate: null, snapshot } });
  },
  page: ({ segment, country, snapshot: of, after, limit }) => {
    onPage();
    const gone = { kind: 'gone', cause: 'HTTP 410', retryAfterMs: null } as const;
    if (of !== snapshot) return Promise.resolve({ ok: false, failure: gone });
    const left = (users[`${segment}/${country}`] ?? []).filter((id) => after === null || compareUserIds(id, after) > 0);
    const page = left.slice(0, limit);
    return Promise.resolve({
      ok: true,
      value: { users: page, next: left.length > limit ? (page.at(-1) ?? null) : null },
    });
  },
};

beforeEach(async () => {
  users = {
    'a/SG': from(0, 100),
    'b/SG': from(50, 100),
    'c/SG': from(0, 10),
    'a/ID': from(500, 30),
    'b/ID': [],
    'c/ID': [],
  };
  snapshot = 's1';
  failure = null;
  onPage = () => undefined;
  api = await createApi({ ...on.deps, segmentation: { ...on.deps.segmentation, ...segmentation } });
});

const send = (method: 'GET' | 'POST', url: string, payload?: object) =>
  api.server.inject({ method, url: `/v1${url}`, headers: authorized, ...(payload && { payload }) });

async function ask(body: object) {
  const answer = await send('POST', '/audiences/exact-counts', body);
  return { status: answer.statusCode, body: answer.json<{ code?: string; errors?: { pointer: string }[] }>() };
}

async function begun(body: object) {
  const answer = await ask(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return exactCount.parse(answer.body);
}

const read = async (id: string) => exactCount.parse((await send('GET', `/audiences/exact-counts/${id}`)).json());

/** Creates a clock that advances by a save interval at each look, and on which pauses take no time. */
function hastyClock(): Clock {
  let monotonicMs = 0;
  return { now: () => new Date(), monotonicMs: () => (monotonicMs += 2500), sleep: () => Promise.resolve() };
}

const store = () => createCountStore({ pool: on.deps.pool });
const countingDeps = () => ({
  counts: store(),
  segmentation,
  storedAudiences: createStoredAudiences({ pool: on.deps.pool }),
  requestLimit: pLimit(4),
  pageSize: 7,
  clock: hastyClock(),
  random: () => 0.5,
  logger: on.deps.logger,
});

async function claimed(owner: string): Promise<OwnedCount> {
  const count = await store().claim(owner, 15_000);
  if (!count) throw new Error('nothing waits to be counted');
  return count;
}

/** Continues the count until the signal. */
async function carryOn(count: OwnedCount, signal: AbortSignal = never) {
  const counting = createCounting(count, countingDeps());
  const end = await counting.run(signal);
  return end && (await store().end(count, counting.countries(), end));
}

const leaseIsOver = () => on.deps.pool.query(`update audience_counts set lease_until = now() - interval '1 second'`);

const merged = {
  countries: ['SG', 'ID'],
  audience: { include: [{ segment: 'a' }, { segment: 'b' }], exclude: [{ segment: 'c' }] },
};

describe('an exact audience count', () => {
  it('counts users as a run would merge the sources, by country, with excluded and repeated users', async () => {
    const { id, state, requestedBy } = await begun(merged);
    expect({ state, requestedBy }).toEqual({ state: 'waiting', requestedBy: 'a test' });
    await carryOn(await claimed('one'));
    const done = await read(id);
    expect(done).toMatchObject({ state: 'done', users: 170, excluded: 10, shared: 50, withUsers: null, both: null });
    expect(done.counted.map(({ country, users: counted }) => [country, counted])).toEqual([
      ['SG', 140],
      ['ID', 30],
    ]);
    expect(done.parts).toEqual({ include: [130, 100], repeated: 50, exclude: [10], elsewhere: 0 });
    expect(done.counted[0]?.parts).toEqual({ include: [100, 100], repeated: 50, exclude: [10], elsewhere: 0 });
    expect(done.startedAt).not.toBeNull();
    const { rows } = await on.deps.pool.query('select resolved, cursor, owner from audience_counts');
    expect(rows).toEqual([{ resolved: null, cursor: null, owner: null }]);
  });

  it('returns the earlier result for an equal request while the snapshots are unchanged', async () => {
    const { id } = await begun(merged);
    expect(await ask(merged)).toMatchObject({ status: 200, body: { id, state: 'waiting' } });
    await carryOn(await claimed('one'));
    expect(await ask({ ...merged, countries: ['ID', 'SG'] })).toMatchObject({ status: 200, body: { id, users: 170 } });
    const other = await begun({ ...merged, recount: true });
    expect(other.id).not.toBe(id);
    await carryOn(await claimed('one'));
    snapshot = 's2';
    expect((await begun(merged)).state).toBe('waiting');
  });

  it('includes uploaded lists and uses the country that a list gives for a user', async () => {
    const uploaded = await api.server.inject({
      method: 'POST',
      url: '/v1/audiences/upload?name=vip',
      payload: 'userId,country\nu1000,ID\nnew,SG\n',
      headers: { ...authorized, 'content-type': 'text/csv' },
    });
    const { id: list } = uploaded.json<{ id: string }>();
    const audience = { include: [{ segment: 'a' }, { list }] };
    const { id } = await begun({ countries: ['SG', 'ID'], audience });
    await carryOn(await claimed('one'));
    const { counted, parts, users: all } = await read(id);
    expect(counted).toMatchObject([
      { country: 'SG', users: 100, excluded: 1 },
      { country: 'ID', users: 31 },
    ]);
    expect([all, parts]).toEqual([131, { include: [130, 2], repeated: 0, exclude: [], elsewhere: 1 }]);
  });

  it('returns the overlap of two audiences and pages each of them once', async () => {
    const audience = { include: [{ segment: 'a' }] };
    const { id } = await begun({ countries: ['SG', 'ID'], audience, with: { include: [{ segment: 'b' }] } });
    await carryOn(await claimed('one'));
    expect(await read(id)).toMatchObject({ state: 'done', users: 130, withUsers: 100, both: 50, parts: null });
  });

  it('returns the users of each source and the users that each exclusion removes, also in other countries', async () => {
    const uploaded = await api.server.inject({
      method: 'POST',
      url: '/v1/audiences/upload?name=staff',
      payload: 'userId,country\nu1005,ID\nu1060,SG\nu1070,ID\nx,SG\n',
      headers: { ...authorized, 'content-type': 'text/csv' },
    });
    const { id: staff } = uploaded.json<{ id: string }>();
    const exclude = [{ segment: 'c' }, { list: staff }];
    const { id } = await begun({ countries: ['SG', 'ID'], audience: { include: [{ segment: 'a' }], exclude } });
    await carryOn(await claimed('one'));
    // u1005 is in both exclusions and counts for the first; u1070 is in SG, but the list names it in ID.
    const parts = { include: [130], repeated: 0, exclude: [10, 2], elsewhere: 0 };
    expect(await read(id)).toMatchObject({ users: 118, excluded: 12, parts });
  });

  it('has a breakdown by source even if the audience has a single source', async () => {
    const { id } = await begun({ countries: ['SG'], audience: { include: [{ segment: 'a' }] } });
    await carryOn(await claimed('one'));
    const parts = { include: [100], repeated: 0, exclude: [], elsewhere: 0 };
    expect(await read(id)).toMatchObject({ users: 100, parts });
  });
});

describe('an audience count whose trigger dies', () => {
  it('is continued by another trigger from the saved position, without counting a user twice', async () => {
    const { id } = await begun(merged);
    const dying = new AbortController();
    let pages = 0;
    onPage = () => ++pages === 12 && dying.abort();
    const first = await claimed('one');
    expect(await carryOn(first, dying.signal)).toBeNull();
    expect(await store().claim('two', 15_000)).toBeUndefined();
    await leaseIsOver();
    const second = await claimed('two');
    expect(second.place?.cursor).not.toBeNull();
    expect(second.countries[0]?.users).toBeGreaterThan(0);
    await carryOn(second);
    const parts = { include: [130, 100], repeated: 50, exclude: [10], elsewhere: 0 };
    expect(await read(id)).toMatchObject({ state: 'done', users: 170, excluded: 10, shared: 50, parts });
  });

  it('has no breakdown by source if a trigger of an earlier version counted some of its users', async () => {
    const { id } = await begun(merged);
    const dying = new AbortController();
    let pages = 0;
    onPage = () => ++pages === 12 && dying.abort();
    await carryOn(await claimed('one'), dying.signal);
    await on.deps.pool.query("update audience_counts set countries = countries #- '{0,parts}'");
    await leaseIsOver();
    await carryOn(await claimed('two'));
    const { users: all, parts, counted } = await read(id);
    expect([all, parts, counted.map((line) => line.parts)]).toEqual([
      ...[170, null],
      [null, { include: [30, 0], repeated: 0, exclude: [0], elsewhere: 0 }],
    ]);
  });

  it('ignores late writes of the dead trigger', async () => {
    await begun(merged);
    const [first] = [await claimed('one'), await leaseIsOver()];
    await claimed('two');
    const nothing = { countries: [], place: null, resolved: null, cause: 'of the dead one' };
    expect(await store().save(first, nothing)).toBe(false);
    expect(await store().end(first, [], { state: 'failed', cause: 'of the dead one' })).toBe(false);
    expect(await store().renew(first, 15_000)).toBe('lost');
  });

  it('can be claimed immediately after its trigger released it', async () => {
    await begun(merged);
    await store().release(await claimed('one'));
    expect((await claimed('two')).token).toBe(2);
  });
});

describe('an audience count', () => {
  it('can be cancelled by its owner, and later writes of its trigger have no effect', async () => {
    const { id } = await begun(merged);
    const count = await claimed('one');
    expect((await send('POST', `/audiences/exact-counts/${id}/cancel`)).json()).toMatchObject({ state: 'cancelled' });
    expect(await store().renew(count, 15_000)).toBe('lost');
    expect(await carryOn(count)).toBeNull();
    expect((await send('POST', `/audiences/exact-counts/${id}/cancel`)).json()).toMatchObject({ state: 'cancelled' });
    expect((await ask(merged)).status).toBe(201);
  });

  it('starts again in a country whose snapshot changes, and fails if snapshots keep changing', async () => {
    const { id } = await begun({ countries: ['SG'], audience: { include: [{ segment: 'a' }] } });
    let pages = 0;
    onPage = () => {
      if (++pages === 5) snapshot = 's2';
    };
    await carryOn(await claimed('one'));
    expect(await read(id)).toMatchObject({ state: 'done', users: 100 });
    expect(await ask({ countries: ['SG'], audience: { include: [{ segment: 'a' }] } })).toMatchObject({
      status: 200,
      body: { id },
    });

    const lost = await begun({ countries: ['SG'], audience: { include: [{ segment: 'b' }] } });
    onPage = () => {
      if (++pages % 3 === 0) snapshot = `s${pages}`;
    };
    await carryOn(await claimed('one'));
    const failed = await read(lost.id);
    expect([failed.state, failed.cause]).toEqual(['failed', 'its snapshot in SG went 4 times before it was counted']);
  });

  it('fails with the cause if the segmentation service stays unavailable', async () => {
    const { id } = await begun(merged);
    failure = { kind: 'unavailable', cause: 'HTTP 503', retryAfterMs: null };
    await carryOn(await claimed('one'));
    const failed = await read(id);
    expect([failed.state, failed.cause?.includes('HTTP 503')]).toEqual(['failed', true]);
  });

  it('exceeds its time limit after six hours', async () => {
    const { id } = await begun(merged);
    const count = await claimed('one');
    await on.deps.pool.query(`update audience_counts set started_at = now() - interval '7 hours'`);
    expect(await store().renew(count, 15_000)).toBe('too-long');
    expect((await read(id)).state).toBe('running');
  });

  it('is refused if its account has four active counts, and accounts with fewer active counts go first', async () => {
    const of = (segment: string) => {
      users[`${segment}/SG`] = from(0, 1);
      return { countries: ['SG'], audience: { include: [{ segment }] } };
    };
    for (const segment of ['s1', 's2', 's3', 's4']) await begun(of(segment));
    expect(await ask(of('s5'))).toMatchObject({ status: 429, body: { code: 'too-many-counts' } });
    const [, , third] = (await on.deps.pool.query<{ id: string }>('select id from audience_counts order by id')).rows;
    await claimed('one');
    await on.deps.pool.query('update audience_counts set account = gen_random_uuid() where id = $1', [third?.id]);
    expect((await claimed('one')).countId).toBe(third?.id);
  });

  it.each([
    ['an unknown segment', { with: { include: [{ segment: 'x' }] } }, 422, ['/with/include/0/segment']],
    ['a country that is not configured', { countries: ['SG', 'US'] }, 422, ['/countries/1']],
    ['a country twice', { countries: ['SG', 'SG'] }, 422, ['/countries/1']],
    ['an empty audience', { audience: { include: [] } }, 422, ['/audience/include']],
    ['a hold-out', { audience: { include: [{ segment: 'a' }], holdOutPercent: 5 } }, 422, ['/audience']],
  ])('is refused for %s', async (_, change, status, pointers) => {
    const { body, status: answered } = await ask({ ...merged, ...change });
    expect(answered).toBe(status);
    expect(body.errors?.map(({ pointer }) => pointer.replace(/\/holdOutPercent$/, ''))).toEqual(pointers);
  });

  it('is refused with the cause if the segmentation service is unavailable', async () => {
    failure = { kind: 'unavailable', cause: 'HTTP 503', retryAfterMs: null };
    const { status, body } = await ask({ countries: ['SG'], audience: { include: [{ segment: 'a' }] } });
    expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([409, 'not-countable-now', '/audience/include/0']);
  });

  it('is listed from newest to oldest', async () => {
    const first = await begun(merged);
    const second = await begun({ ...merged, countries: ['SG'] });
    const { items } = (await send('GET', '/audiences/exact-counts')).json<{ items: { id: string }[] }>();
    expect(items.map(({ id }) => id)).toEqual([second.id, first.id]);
    const missing = await send('GET', '/audiences/exact-counts/cnt_01h455vb4pex5vsknk084sn02q');
    expect(missing.json()).toMatchObject({ status: 404, code: 'exact-count-not-found' });
  });

  it('is deleted a month after its end, when the next count is requested', async () => {
    const { id } = await begun(merged);
    await carryOn(await claimed('one'));
    await on.deps.pool.query(`update audience_counts set ended_at = now() - interval '31 days'`);
    expect((await begun(merged)).id).not.toBe(id);
    expect((await send('GET', `/audiences/exact-counts/${id}`)).statusCode).toBe(404);
  });
});

it('a trigger counts audiences on notification, beside its other work, and stops on request', async () => {
  const changes = createMemoryChangeFeed();
  const { requestLimit: _, counts, ...deps } = countingDeps();
  const ended = Promise.withResolvers<boolean>();
  const watched = {
    ...counts,
    end: async (...args: Parameters<typeof counts.end>) => {
      const isDone = await counts.end(...args);
      ended.resolve(isDone);
      return isDone;
    },
  };
  const counter = createAudienceCounter({
    ...deps,
    counts: watched,
    clock: systemClock,
    changes,
    owner: 'a trigger',
    leaseMs: 15_000,
  });
  const { id } = await begun(merged);
  counter.start();
  await ended.promise;
  await counter.stop();
  expect(await read(id)).toMatchObject({ state: 'done', users: 170 });
});
