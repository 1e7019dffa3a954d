import { afterEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { isFullScale } from './support/full-scale.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { quantile } from './support/measure-run.ts';
import type { HeldLock } from './support/observer.ts';
import { timeAnswers } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import type { Inspector } from './support/tcp-proxy.ts';
import { lasting, until } from './support/until.ts';

/** Duration of each half of a round: without and with a reader. */
const halfMs = isFullScale ? 120_000 : 20_000;
const rounds = 2;
const tables = ['ended_jobs', 'job_attempts'];
/** A day whose partition should have been dropped: the history is kept for 30 days. */
const oldDay = `now() - interval '40 days'`;
/** A day for which the scheduler creates the partition in advance. */
const comingDay = `now() + interval '5 days'`;
const suffixOf = (day: string) => `to_char((${day}) at time zone 'UTC', '_YYYYMMDD')`;

const isFlush = (sql: string) => sql.includes('delete from job_claims f using');
const isAccept = (sql: string) => sql.includes('insert into jobs');

function both(first: Inspector, second: Inspector): Inspector {
  return {
    toServer: (passage, bytes) => {
      first.toServer?.(passage, bytes);
      return second.toServer?.(passage, bytes);
    },
    toClient: (passage, bytes) => {
      first.toClient?.(passage, bytes);
      return second.toClient?.(passage, bytes) ?? 'pass';
    },
  };
}

describe('row 68: a long reader while daily partitions of jobs are created and dropped', () => {
  let trial: CallbackTrial;
  let proxy: ProxyBefore | undefined;
  let flushes: ReturnType<typeof timeAnswers>;
  let accepts: ReturnType<typeof timeAnswers>;
  afterEach(async () => {
    await trial.end();
    await proxy?.close();
  });

  async function begin(without?: FaultControl): Promise<void> {
    [flushes, accepts] = [timeAnswers(isFlush), timeAnswers(isAccept)];
    trial = await startCallbackTrial({
      schedulers: 1,
      dispatchers: 1,
      engine: { JOBS_HISTORY_DAYS: '30' },
      throughProxy: async (databaseUrl) => {
        proxy = await startProxyBefore(databaseUrl, both(flushes, accepts));
        return proxy.databaseUrl;
      },
      ...(without && { without }),
    });
  }

  async function isThere(day: string): Promise<boolean> {
    const [row] = await trial.database.rows<{ found: string | null }>(
      `select to_regclass('ended_jobs' || ${suffixOf(day)}) as found`,
    );
    return row?.found !== null;
  }

  /** Creates the partition of the old day and drops that of the coming day, so that the scheduler has work. */
  async function makeDaysDue(): Promise<void> {
    await trial.database.rows(`select make_job_days(${oldDay}, ${oldDay} + interval '1 second')`);
    const [row] = await trial.database.rows<{ suffix: string }>(`select ${suffixOf(comingDay)} as suffix`);
    for (const table of tables) await trial.database.rows(`drop table if exists ${table}${row?.suffix}`);
  }

  /** Takes the locks that a dump takes: meanwhile no table and no partition can be changed. */
  async function read(): Promise<HeldLock> {
    const held = await trial.database.rows<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    );
    return await trial.database.hold(
      `lock table ${held.map(({ name }) => `only ${name}`).join(', ')} in access share mode`,
    );
  }

  /**
   * Restarts the scheduler. It creates and drops partitions at its start, because the lease of this work was released.
   */
  async function restartScheduler(): Promise<void> {
    await trial.stop('scheduler');
    await trial.database.rows(`update leases set expires_at = now() where name = 'job-history'`);
    await trial.restart('scheduler');
  }

  async function load(): Promise<void> {
    const endAtMs = Date.now() + halfMs;
    const accepting = async () => {
      while (Date.now() < endAtMs) {
        await trial.schedule({ count: 5, dueInMs: 200, spreadMs: 200 });
        await lasting(30);
      }
    };
    await Promise.all([accepting(), accepting()]);
  }

  interface Half {
    flushes: number[];
    accepts: number[];
  }

  /** Measures each statement while a restarted scheduler creates and drops partitions. */
  async function half(into: Half): Promise<void> {
    await restartScheduler();
    flushes.takeNew();
    accepts.takeNew();
    await load();
    into.flushes.push(...flushes.takeNew());
    into.accepts.push(...accepts.takeNew());
  }

  /** Measures in turn without and with a reader. */
  async function compare(): Promise<{ alone: Half; beside: Half }> {
    const alone: Half = { flushes: [], accepts: [] };
    const beside: Half = { flushes: [], accepts: [] };
    for (let round = 0; round < rounds; round++) {
      await half(alone);
      await makeDaysDue();
      const reader = await read();
      const over = trial.injections.begin('long reader', 'all tables');
      try {
        await half(beside);
        expect(await isThere(oldDay)).toBe(true);
        expect(await isThere(comingDay)).toBe(false);
      } finally {
        await reader.release();
        over();
      }
    }
    return { alone, beside };
  }

  const p99 = (ms: readonly number[]) => quantile([...ms], 0.99);

  it('at most doubles the time of accepts and flushes, and the partitions follow after the reader has ended', async () => {
    await begin();
    const { alone, beside } = await compare();
    await restartScheduler();
    await until('the days have followed', async () => !(await isThere(oldDay)) && (await isThere(comingDay)), 60_000);
    await trial.awaitEnded();

    const measured = {
      'flush p99 ms': p99(beside.flushes),
      'flush alone ms': p99(alone.flushes),
      flushes: beside.flushes.length,
      'accept p99 ms': p99(beside.accepts),
      'accept alone ms': p99(alone.accepts),
      accepts: beside.accepts.length,
    };
    const scenario = 'a reader holds all tables, days are due';
    expect(await trial.judgeCallbacks({ rows: '68', scenario, measured })).toEqual([]);
    expect(beside.accepts.length).toBeGreaterThan(100);
    expect(p99(beside.flushes)).toBeLessThanOrEqual(2 * p99(alone.flushes));
    expect(p99(beside.accepts)).toBeLessThanOrEqual(2 * p99(alone.accepts));
  }, 1_800_000);

  it('blocks accepts and flushes if the partition change waits without a lock time-out (control)', async () => {
    await begin(faultControls.daysWaitForNoReader);
    const { alone, beside } = await compare();
    expect(p99(beside.flushes)).toBeGreaterThan(2 * p99(alone.flushes));
    expect(p99(beside.accepts)).toBeGreaterThan(2 * p99(alone.accepts));
  }, 1_800_000);
});
