import { afterEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { isFullScale } from './support/full-scale.ts';
import { quantile } from './support/measure-run.ts';
import type { HeldLock } from './support/observer.ts';
import { timeAnswers } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
/** Duration of each half of a round: without and with a reader. */
const halfMs = isFullScale ? 120_000 : 20_000;
const rounds = 2;
/** A week whose partition should have been dropped: batches are kept for two weeks. */
const oldWeek = `now() - interval '30 days'`;
/** A week for which the engine creates the partitions in advance, at its first look. */
const comingWeek = `now() + interval '21 days'`;
const partitionOf = (week: string) =>
  `select to_regclass('batches' || to_char(date_trunc('week', ${week}, 'UTC') at time zone 'UTC', '_YYYYMMDD')) as found`;
/** A statement of a worker that records and claims. */
const isFlush = (sql: string) => sql.includes('insert into batch_steps');

describe('row 52: a long reader while weekly partitions are created and dropped', () => {
  let trial: Trial;
  let proxy: ProxyBefore | undefined;
  let flushes: ReturnType<typeof timeAnswers>;
  afterEach(async () => {
    await trial.end();
    await proxy?.close();
  });

  async function begin(without?: FaultControl): Promise<string> {
    flushes = timeAnswers(isFlush);
    trial = await startTrial({
      workers: 1,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${isFullScale ? 2_400_000 : 500_000}`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_LATENCY_MS: '100-300',
      },
      engine: {
        WORKER_CONCURRENCY: '10',
        // With these settings, only the weeks of batches are due to be dropped.
        RETENTION_STEPS_DAYS: '0',
        RETENTION_FAILURES_DAYS: '0',
        RETENTION_USERS_DAYS: '14',
      },
      throughProxy: async (databaseUrl) => {
        proxy = await startProxyBefore(databaseUrl, flushes);
        return proxy.databaseUrl;
      },
      ...(without && { without }),
    });
    const chain = [{ action: 'award-points', params: {} }];
    const runId = await trial.muster.api.run({ name: 'Beside a dump', countries: ['SG'], segment, chain });
    await trial.awaitCalls(runId, 1, 100);
    return runId;
  }

  async function isThere(week: string): Promise<boolean> {
    const [row] = await trial.database.rows<{ found: string | null }>(partitionOf(week));
    return row?.found !== null;
  }

  /** Creates the partitions of the old week and drops those of the coming week, so that the trigger has work. */
  async function makeWeeksDue(): Promise<void> {
    await trial.database.rows(`select make_feed_partitions(${oldWeek}, ${oldWeek})`);
    const tables = await trial.database.rows<{ name: string }>(
      `select name || to_char(date_trunc('week', ${comingWeek}, 'UTC') at time zone 'UTC', '_YYYYMMDD') as name
         from feed_tables`,
    );
    for (const { name } of tables) await trial.database.rows(`drop table if exists ${name}`);
  }

  /** Takes the locks that a dump takes: meanwhile no table and no partition can be changed. */
  async function read(): Promise<HeldLock> {
    const tables = await trial.database.rows<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    );
    return await trial.database.hold(
      `lock table ${tables.map(({ name }) => `only ${name}`).join(', ')} in access share mode`,
    );
  }

  /** Returns the milliseconds of each flush while a restarted trigger creates and drops partitions. */
  async function half(): Promise<number[]> {
    await trial.stop('trigger');
    flushes.takeNew();
    await trial.restart('trigger');
    await lasting(halfMs);
    return flushes.takeNew();
  }

  const haveFollowed = async () => !(await isThere(oldWeek)) && (await isThere(comingWeek));

  /**
   * Waits until the partitions have been changed. Under load, a statement may hold its lock longer than the trigger
   * waits; the trigger tries again after five minutes, or at its start.
   * @returns the number of tries
   */
  async function untilTheyFollow(): Promise<number> {
    const [most, eachMs] = isFullScale ? [1, 1_000_000] : [5, 20_000];
    for (let tries = 1; ; tries++) {
      if (!isFullScale) {
        await trial.stop('trigger');
        await trial.restart('trigger');
      }
      try {
        await until('the weeks have followed', haveFollowed, eachMs);
        return tries;
      } catch (error) {
        if (tries === most) throw error;
      }
    }
  }

  /** Measures in turn without and with a reader. */
  async function compare(): Promise<{ alone: number; beside: number; flushes: number }> {
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < rounds; round++) {
      alone.push(...(await half()));
      await makeWeeksDue();
      const reader = await read();
      const over = trial.injections.begin('long reader', 'all tables');
      try {
        beside.push(...(await half()));
        expect(await isThere(oldWeek)).toBe(true);
        expect(await isThere(comingWeek)).toBe(false);
      } finally {
        await reader.release();
        over();
      }
    }
    return { alone: quantile(alone, 0.99), beside: quantile(beside, 0.99), flushes: alone.length + beside.length };
  }

  it('does not slow down flushes, and the partitions follow after the reader has ended', async () => {
    const runId = await begin();
    const p99 = await compare();
    const tries = await untilTheyFollow();
    await trial.awaitEnd(runId, 300_000);

    const measured = { 'flush p99 ms': p99.beside, 'alone ms': p99.alone, flushes: p99.flushes, tries };
    const verdict = { rows: '52', scenario: 'a reader holds all tables', segment, measured };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    expect(p99.beside).toBeLessThanOrEqual(2 * p99.alone);
  }, 1_800_000);

  it('blocks flushes if the partition change waits without a lock time-out (control)', async () => {
    await begin(faultControls.weeksWaitForNoReader);
    const p99 = await compare();
    expect(p99.beside).toBeGreaterThan(2 * p99.alone);
  }, 1_800_000);
});
