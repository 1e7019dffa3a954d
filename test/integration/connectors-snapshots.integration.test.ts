import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Source, SourceRow } from '../../services/connectors/databases/source.port.ts';
import { SourceError } from '../../services/connectors/databases/source.port.ts';
import { prepareStore } from '../../services/connectors/store/postgres/prepare-store.ts';
import { createSnapshotStore } from '../../services/connectors/segments/postgres/snapshot-store.ts';
import { createSegmentService } from '../../services/connectors/segments/segment-service.ts';
import type { SegmentSettings } from '../../services/connectors/segments/segment-settings.ts';
import { createSnapshotBuilder, type SnapshotBuilder } from '../../services/connectors/segments/snapshot-builder.ts';
import type { SnapshotStore } from '../../services/connectors/segments/snapshot-store.port.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

const logger = pino({ level: 'silent' });
const never = new Promise<never>(() => undefined);

let database: TestDatabase;
let pool: Pool;
let store: SnapshotStore;
let builders: SnapshotBuilder[] = [];

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  await prepareStore(database.url);
  pool = createHotPathPool({ connectionString: database.url, applicationName: 'test', logger });
  store = createSnapshotStore(pool);
});

afterEach(async () => {
  await Promise.all(builders.map((builder) => builder.stop()));
  builders = [];
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

let segments = 0;

/** Each test has a segment, and so snapshots, of its own. */
function newSegment(more: Partial<SegmentSettings> = {}): SegmentSettings {
  const id = `segment-${++segments}`;
  const query = { text: 'select', timeoutMs: 60_000 };
  const usual = { reuseMs: 60_000, keepSeconds: 3600, definition: 'first', onDuplicates: 'refuse' as const };
  return { id, name: id, database: 'shop', query, ...usual, ...more };
}

const users = Array.from({ length: 45_000 }, (_, i) => `u${String(i).padStart(6, '0')}`);

/** A database that counts its queries. `pause` is awaited before each part of the rows but the first. */
function countingSource(pause: () => Promise<unknown> = () => Promise.resolve()) {
  let queries = 0;
  const source: Source = {
    rows: async function* (_, signal) {
      queries += 1;
      for (let first = 0; first < users.length; first += 15_000) {
        if (first > 0) await Promise.race([pause(), abortOf(signal)]);
        signal.throwIfAborted();
        yield users
          .slice(first, first + 15_000)
          .map((userId, i): SourceRow => ({ userId, country: i % 3 ? 'SG' : 'VN' }));
      }
    },
    estimate: () => Promise.resolve(null),
    attributes: () => Promise.resolve(new Map()),
    close: () => Promise.resolve(),
  };
  return { source, queries: () => queries };
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** One process of the connectors, on the store that all processes share. */
function newInstance(segment: SegmentSettings, source: Source, ownStore = store) {
  const sources = new Map([['shop', source]]);
  const builder = createSnapshotBuilder({
    store: ownStore,
    sources,
    leaseMs: 3000,
    clock: systemClock,
    meter: noMeter,
    logger,
  });
  builders.push(builder);
  const found = new Map([[segment.id, segment]]);
  return {
    builder,
    ...createSegmentService({ segments: found, sources, store: ownStore, builder, clock: systemClock }),
  };
}

type Instance = ReturnType<typeof newInstance>;

async function snapshotOf(instance: Instance, { id }: SegmentSettings, country = 'SG'): Promise<string> {
  const answer = await instance.describe(id, country);
  if (!answer.ok) throw new Error(answer.refusal.message);
  return answer.value.snapshot;
}

async function readAll(
  instance: Instance,
  { id }: SegmentSettings,
  snapshot: string,
  country: string,
): Promise<string[]> {
  const read: string[] = [];
  for (let after: string | null = null; ;) {
    const answer = await instance.page(id, { country, snapshot, after, limit: 5000 });
    if (!answer.ok && answer.refusal.code === 'snapshot-building') continue;
    if (!answer.ok) throw new Error(answer.refusal.message);
    read.push(...answer.value.users);
    after = answer.value.next;
    if (after === null) return read;
  }
}

async function readBoth(instance: Instance, segment: SegmentSettings, snapshot: string): Promise<string[]> {
  const both = await Promise.all(['SG', 'VN'].map((country) => readAll(instance, segment, snapshot, country)));
  return both.flat().sort();
}

async function expireLease(id: string): Promise<void> {
  await pool.query(`update connectors.snapshots set lease_until = now() - interval '1 second' where id = $1`, [id]);
}

async function tablesOf(id: string): Promise<string[]> {
  const { rows } = await pool.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and relname like 'members_' || $1 || '%' order by relname`,
    [id.replaceAll('-', '')],
  );
  return rows.map(({ relname }) => relname.slice(relname.lastIndexOf('_') + 1));
}

describe('a snapshot', () => {
  it('takes one query, however many instances, countries and pages request it at once', async () => {
    const segment = newSegment();
    const { source, queries } = countingSource();
    const instances = [newInstance(segment, source), newInstance(segment, source)];
    const requested = await Promise.all(
      instances.flatMap((instance) => ['SG', 'VN', 'ID'].map((country) => snapshotOf(instance, segment, country))),
    );
    const [snapshot = ''] = requested;
    expect(new Set(requested).size).toBe(1);
    const read = await Promise.all(instances.map((instance) => readBoth(instance, segment, snapshot)));
    expect(read).toEqual([users, users]);
    expect(queries()).toBe(1);
  });

  it('is not served before it is complete', async () => {
    const segment = newSegment();
    const gate = Promise.withResolvers<undefined>();
    const instance = newInstance(segment, countingSource(() => gate.promise).source);
    const snapshot = await snapshotOf(instance, segment);
    const early = await instance.page(segment.id, { country: 'SG', snapshot, after: null, limit: 10 });
    expect(early).toMatchObject({
      ok: false,
      refusal: { status: 503, code: 'snapshot-building', retryAfterSeconds: 1 },
    });
    gate.resolve(undefined);
    expect(await readBoth(instance, segment, snapshot)).toEqual(users);
  });

  it('is shared for the time that its segment configures, and a changed query gets another snapshot', async () => {
    const segment = newSegment();
    const { source, queries } = countingSource();
    const instance = newInstance(segment, source);
    const first = await snapshotOf(instance, segment);
    await readAll(instance, segment, first, 'SG');
    expect(await snapshotOf(instance, segment)).toBe(first);
    const changed = { ...segment, definition: 'second' };
    expect(await snapshotOf(newInstance(changed, source), changed)).not.toBe(first);
    await pool.query(`update connectors.snapshots set queried_at = now() - interval '61 seconds' where id = $1`, [
      first,
    ]);
    const second = await snapshotOf(instance, segment);
    expect(second).not.toBe(first);
    expect(queries()).toBe(1);
    expect(await readAll(instance, segment, first, 'SG')).toEqual(await readAll(instance, segment, second, 'SG'));
    expect(queries()).toBe(2);
  });

  it('is deleted once it was unused for the time that its segment configures', async () => {
    const segment = newSegment();
    const instance = newInstance(segment, countingSource().source);
    const snapshot = await snapshotOf(instance, segment);
    await readAll(instance, segment, snapshot, 'SG');
    await store.sweep();
    expect(await tablesOf(snapshot)).toEqual(['1']);
    await pool.query(`update connectors.snapshots set used_at = now() - interval '59 minutes' where id = $1`, [
      snapshot,
    ]);
    await readAll(instance, segment, snapshot, 'SG');
    await pool.query(`update connectors.snapshots set used_at = used_at - interval '59 minutes' where id = $1`, [
      snapshot,
    ]);
    await store.sweep();
    expect(await readAll(instance, segment, snapshot, 'SG')).toHaveLength(30_000);
    await pool.query(`update connectors.snapshots set used_at = now() - interval '61 minutes' where id = $1`, [
      snapshot,
    ]);
    await store.sweep();
    expect(await tablesOf(snapshot)).toEqual([]);
    const gone = await instance.page(segment.id, { country: 'SG', snapshot, after: 'u1', limit: 10 });
    expect(gone).toMatchObject({ ok: false, refusal: { status: 410, code: 'snapshot-gone' } });
    expect(await snapshotOf(instance, segment)).not.toBe(snapshot);
  });
});

/** A store whose process is killed at the n-th call of a builder: the call takes effect or not, and nothing returns. */
function killedAt(point: number, takesEffect: boolean): { killed: SnapshotStore; calls: () => number } {
  let calls = 0;
  const fatal =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      calls += 1;
      if (calls > point) return never;
      if (calls < point) return await call(...args);
      if (takesEffect) await call(...args);
      return never;
    };
  const killed: SnapshotStore = {
    ...store,
    claim: fatal((id, leaseMs) => store.claim(id, leaseMs)),
    renew: () => never,
    createMembers: fatal((claim) => store.createMembers(claim)),
    addMembers: fatal((claim, members) => store.addMembers(claim, members)),
    finish: fatal((claim, counts) => store.finish(claim, counts)),
  };
  return { killed, calls: () => calls };
}

describe('a builder of snapshots', () => {
  // The writes are: claim, table, two parts, and end.
  const points = [1, 2, 3, 4, 5].flatMap((point) => [true, false].map((takesEffect) => ({ point, takesEffect })));

  it.each(points)(
    'is replaced if it is killed at its write $point (takes effect: $takesEffect)',
    async ({ point, takesEffect }) => {
      const segment = newSegment();
      const { source } = countingSource();
      const { killed, calls } = killedAt(point, takesEffect);
      const victim = newInstance(segment, source, killed);
      builders.pop();
      const survivor = newInstance(segment, source);
      const snapshot = await snapshotOf(survivor, segment);
      void victim.builder.begin(segment, snapshot);
      await expect.poll(calls).toBe(point);
      await expireLease(snapshot);
      expect(await readBoth(survivor, segment, snapshot)).toEqual(users);
      // The table of a killed builder is dropped once the server has ended its last statement.
      const swept = async () => {
        await store.sweep();
        return await tablesOf(snapshot);
      };
      await expect.poll(swept).toHaveLength(1);
    },
  );

  it('changes nothing after it was frozen past its lease', async () => {
    const segment = newSegment();
    const gate = Promise.withResolvers<undefined>();
    const frozen = newInstance(segment, countingSource(() => gate.promise).source, { ...store, renew: () => never });
    const other = newInstance(segment, countingSource().source);
    const snapshot = await snapshotOf(other, segment);
    await frozen.builder.begin(segment, snapshot);
    await expect.poll(() => tablesOf(snapshot)).toEqual(['1']);
    await expireLease(snapshot);
    expect(await readBoth(other, segment, snapshot)).toEqual(users);
    gate.resolve(undefined);
    await frozen.builder.stop();
    expect(await readBoth(other, segment, snapshot)).toEqual(users);
    expect(await tablesOf(snapshot)).toEqual(['2']);
  });

  it('does not end the unfinished snapshot of its successor after it was frozen past its lease', async () => {
    const segment = newSegment();
    const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const frozen = newInstance(segment, countingSource(() => first.promise).source, { ...store, renew: () => never });
    const other = newInstance(segment, countingSource(() => second.promise).source);
    const snapshot = await snapshotOf(other, segment);
    await frozen.builder.begin(segment, snapshot);
    await expect.poll(() => tablesOf(snapshot)).toEqual(['1']);
    await expireLease(snapshot);
    await other.builder.begin(segment, snapshot);
    await expect.poll(() => tablesOf(snapshot)).toEqual(['1', '2']);
    first.resolve(undefined);
    await expect.poll(() => tablesOf(snapshot)).toEqual(['2']);
    const early = await other.page(segment.id, { country: 'SG', snapshot, after: null, limit: 10 });
    expect(early).toMatchObject({ ok: false, refusal: { code: 'snapshot-building' } });
    second.resolve(undefined);
    expect(await readBoth(other, segment, snapshot)).toEqual(users);
  });

  it('keeps its lease while a query takes long', async () => {
    const segment = newSegment();
    const gate = Promise.withResolvers<undefined>();
    let renewed = 0;
    const counted: SnapshotStore = { ...store, renew: (...args) => store.renew(...args).finally(() => renewed++) };
    const { source, queries } = countingSource(() => gate.promise);
    const instance = newInstance(segment, source, counted);
    const snapshot = await snapshotOf(instance, segment);
    await instance.builder.begin(segment, snapshot);
    await expect.poll(() => renewed).toBeGreaterThan(3);
    await newInstance(segment, source).builder.begin(segment, snapshot);
    gate.resolve(undefined);
    expect(await readBoth(instance, segment, snapshot)).toEqual(users);
    expect(queries()).toBe(1);
  });

  it('leaves no rows of a query that fails in the middle, and runs the query again when it is due', async () => {
    const segment = newSegment();
    let isDown = true;
    const { source } = countingSource(() =>
      isDown ? Promise.reject(new SourceError('unavailable', new Error('Connection terminated'))) : Promise.resolve(),
    );
    const instance = newInstance(segment, source);
    const snapshot = await snapshotOf(instance, segment);
    const failed = await instance.page(segment.id, { country: 'SG', snapshot, after: null, limit: 10 });
    const message = `segments.${segment.id}.database "shop" does not answer: Connection terminated`;
    expect(failed).toMatchObject({ ok: false, refusal: { status: 503, code: 'segment-unavailable', message } });
    expect(await tablesOf(snapshot)).toEqual([]);
    isDown = false;
    await pool.query('update connectors.snapshots set retry_at = now() where id = $1', [snapshot]);
    expect(await readBoth(instance, segment, snapshot)).toEqual(users);
  });

  it('hands its snapshot over to another builder at once if it is stopped', async () => {
    const segment = newSegment();
    const stopped = newInstance(segment, countingSource(() => never).source);
    const other = newInstance(segment, countingSource().source);
    const snapshot = await snapshotOf(other, segment);
    await stopped.builder.begin(segment, snapshot);
    await stopped.builder.stop();
    expect(await readBoth(other, segment, snapshot)).toEqual(users);
  });
});
