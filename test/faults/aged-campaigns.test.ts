import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addEndedRuns, addToPastUnits, sumUpAllRuns } from '../../benchmarks/age/ended-runs.ts';
import { createCampaign, listRuns, startCampaign } from '../../sdk/generated/sdk.gen.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { quantile } from './support/measure-run.ts';
import { undisturbed } from './support/neighbours.ts';
import { timeAnswers } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import type { Inspector } from './support/tcp-proxy.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';
import { openTestPool } from '../support/test-pool.ts';

const segment = 'lapsed-riders';
/** Large enough to show that each flush takes seconds. */
const shortSegment = 'few-riders';
const endedRuns = 38_000;
/** A budget that is never used up. */
const units = 1_000_000_000;
const unitsPerUser = 1;
/** With fewer flushes, their median is not reliable. */
const fewestFlushes = 100;
/** The aged campaign runs in one country and the young campaign in the other, each with its own worker. */
const countryOf = { aged: 'SG', young: 'ID' } as const;
const workerOf = { aged: 'worker-1', young: 'worker-2' } as const;
type Age = keyof typeof countryOf;
const ages = ['aged', 'young'] as const;

/** Times of a flush with units in Postgres. */
interface FlushTimes {
  reserve: ReturnType<typeof timeAnswers>;
  record: ReturnType<typeof timeAnswers>;
}

function flushTimes(): FlushTimes {
  return {
    reserve: timeAnswers((sql) => sql.includes('reserve_budgets')),
    record: timeAnswers((sql) => sql.includes('insert into batch_steps')),
  };
}

function together({ reserve, record }: FlushTimes): Inspector {
  return {
    toServer: (passage, bytes) => {
      for (const { toServer } of [reserve, record]) toServer?.(passage, bytes);
    },
    toClient: (passage, bytes) => {
      for (const { toClient } of [reserve, record]) toClient?.(passage, bytes);
      return 'pass';
    },
  };
}

/**
 * Two workers side by side, each with a campaign that has a budget and a campaign that has none. The budgeted campaign
 * of the first worker already has 38,000 ended runs.
 */
describe('row 53: a campaign with very many ended runs', () => {
  let trial: Trial;
  /** A pool without the statement time-out of the observer. */
  let writer: pg.Pool;
  const times: Record<Age, FlushTimes> = { aged: flushTimes(), young: flushTimes() };
  const proxies: ProxyBefore[] = [];
  beforeAll(async () => {
    trial = await startTrial({
      workers: 0,
      countries: Object.values(countryOf),
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=160000,${shortSegment}=20000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1',
        SANDBOX_POINTS_LATENCY_MS: '200-400',
      },
      engine: { WORKER_CONCURRENCY: '20' },
      configure: (config) => ({ ...config, segmentation: { ...config.segmentation, pageSize: 1000 } }),
    });
    writer = openTestPool({ connectionString: trial.muster.database.url, max: 1 });
    for (const age of ages) {
      const proxy = await startProxyBefore(trial.muster.database.url, together(times[age]));
      proxies.push(proxy);
      await trial.muster.restart(workerOf[age], {
        DATABASE_URL: proxy.databaseUrl,
        WORKER_COUNTRIES: countryOf[age],
      });
    }
  });
  afterAll(async () => {
    await writer.end();
    await trial.end();
    for (const proxy of proxies) await proxy.close();
  });

  const award = { action: 'award-points', params: {}, unitsPerUser };

  async function priced(age: Age, audience: string): Promise<string> {
    const { client } = trial.muster.api;
    const body = {
      name: `Priced, ${age}`,
      countries: [countryOf[age]],
      audience: { include: [{ segment: audience }] },
      chain: [award],
      budgets: [{ country: countryOf[age], units }],
    };
    return (await createCampaign({ client, body })).data.id;
  }

  async function start(campaignId: string): Promise<string> {
    const { client } = trial.muster.api;
    await startCampaign({ client, path: { id: campaignId } });
    return await until('it runs', async () => {
      const { items } = (await listRuns({ client, query: { campaignId, state: 'running' } })).data;
      return items[0]?.runId;
    });
  }

  /** Returns the seconds until 99 % of the users in the country of this age were served. */
  async function servedIn(runId: string, age: Age): Promise<number> {
    const { startedAt } = await trial.muster.api.report(runId);
    const keys = [...(await trial.ledger()).of(runId, 1).keys.values()].filter((key) => key.country === countryOf[age]);
    const at = keys.map((key) => Date.parse(key.at[0] ?? ''));
    return (quantile(at, 0.99) - Date.parse(startedAt ?? '')) / 1000;
  }

  interface Side {
    runId: string;
    flushMs: number;
    /** Number of flushes behind the median. */
    flushes: number;
    neighbourSeconds: number;
  }

  /** Runs three campaigns at the same time: the aged one, the young one, and one without a budget in both countries. */
  async function compare(audience: string): Promise<{ plain: string; sides: Record<Age, Side> }> {
    const campaigns = { aged: await priced('aged', audience), young: await priced('young', audience) };
    const campaignId = uuidOf('campaign', campaigns.aged) ?? '';
    await addEndedRuns(writer, { campaignId, from: 1, to: endedRuns, countries: [countryOf.aged], steps: 1, slots: 1 });
    await addToPastUnits(writer);
    await writer.query('analyze runs, feeds, run_totals');
    for (const age of ages) for (const timer of [times[age].reserve, times[age].record]) timer.takeNew();
    const [ofAged, ofYoung, plain] = await Promise.all([
      start(campaigns.aged),
      start(campaigns.young),
      trial.muster.api.run({
        name: 'Without a budget',
        countries: Object.values(countryOf),
        segment: audience,
        chain: [{ action: 'award-points', params: {} }],
      }),
    ]);
    for (const runId of [ofAged, ofYoung, plain]) await trial.awaitEnd(runId, 150_000);
    const sideOf = async (age: Age, runId: string): Promise<Side> => {
      const { reserve, record } = times[age];
      const taken = [reserve.takeNew(), record.takeNew()];
      const flushMs = taken.reduce((sum, each) => sum + quantile(each, 0.5), 0);
      const flushes = Math.min(...taken.map((each) => each.length));
      return { runId, flushMs, flushes, neighbourSeconds: await servedIn(plain, age) };
    };
    return { plain, sides: { aged: await sideOf('aged', ofAged), young: await sideOf('young', ofYoung) } };
  }

  it('has flushes as fast as those of a new campaign, and does not slow down a neighbour', async () => {
    const { plain, sides } = await compare(segment);
    const measured = {
      'flush p50 ms': sides.aged.flushMs,
      'young ms': sides.young.flushMs,
      'neighbour s': sides.aged.neighbourSeconds,
      'beside a young one s': sides.young.neighbourSeconds,
    };
    for (const runId of [sides.aged.runId, sides.young.runId, plain]) {
      expect(await trial.judge(runId, { rows: '53', scenario: '38,000 ended runs', segment, measured })).toEqual([]);
    }
    for (const age of ages) expect(sides[age].flushes).toBeGreaterThan(fewestFlushes);
    expect(sides.aged.flushMs).toBeLessThanOrEqual(1.2 * sides.young.flushMs);
    expect(sides.aged.neighbourSeconds).toBeLessThanOrEqual(undisturbed(sides.young.neighbourSeconds));
  });

  it('has slower flushes if a budget sums up all its runs (control)', async () => {
    await sumUpAllRuns(writer);
    const { sides } = await compare(shortSegment);
    expect(sides.aged.flushMs).toBeGreaterThan(1.2 * sides.young.flushMs);
  });
});
