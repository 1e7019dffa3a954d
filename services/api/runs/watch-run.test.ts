import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import type { RunReports } from './run-reports.port.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { createMemoryCampaignStore } from '../../../test/support/memory/campaign-store.ts';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryRunReports } from '../../../test/support/memory/run-reports.ts';
import { createMemoryRunRows } from '../../../test/support/memory/run-rows.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { createRunWatch, type RunWatch } from './watch-run.ts';

type News = AsyncGenerator<RunProgress | 'quiet', void>;

let deps: ReturnType<typeof createDeps>;
let watch: RunWatch;
let runId: string;
let feedId: string;
let looks: number;

function createDeps() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  return {
    clock,
    logger: createLogger('api', 'silent'),
    campaigns: createMemoryCampaignStore({ database }),
    catalogue: { registered: () => ({}) },
    reports: createMemoryRunReports({ database }),
    rows: createMemoryRunRows({ database }),
  };
}

beforeEach(async () => {
  deps = createDeps();
  const { campaignId } = await deps.campaigns.create(campaignDefinition.parse(someCampaign));
  const startedAt = deps.clock.now();
  runId = await deps.rows.addRun({ campaignId, revision: 1, scheduledFor: startedAt, state: 'running', startedAt });
  feedId = await deps.rows.addFeed(runId, { country: 'SG', fedUsers: 1000 });
  watchWith(deps.reports);
});

function watchWith(reports: RunReports) {
  looks = 0;
  const counted: RunReports = {
    ...reports,
    snapshots: (ids) => {
      looks += 1;
      return reports.snapshots(ids);
    },
  };
  watch = createRunWatch({ ...deps, reports: counted });
}

async function follow(signal = new AbortController().signal) {
  const first = (await watch.look(runId)) ?? expect.fail('no run');
  return watch.follow(runId, first, signal);
}

async function next(news: News) {
  const seen = await news.next();
  if (seen.done) return 'over';
  return seen.value === 'quiet' ? seen.value : seen.value.steps[0]?.succeeded;
}

async function untilSucceeded(users: number, news: News): Promise<boolean> {
  for (let seen = await next(news); seen !== 'over'; seen = await next(news)) if (seen === users) return true;
  return false;
}

/** Advances the clock by half a second at a time until the promise is settled. */
async function whilePassing<Value>(promise: Promise<Value>): Promise<Value> {
  const settled = new AbortController();
  void promise.finally(() => settled.abort());
  for (let halves = 0; halves < 100 && !settled.signal.aborted; halves++) {
    await new Promise(setImmediate);
    deps.clock.advance(500);
  }
  return await promise;
}

const succeed = (users: number) => deps.rows.addTotals(feedId, 1, { step: 1, succeeded: users });

describe('the watch of a run', () => {
  it('yields changes when they happen', async () => {
    const news = await follow();

    const seen = next(news);
    await succeed(100);
    expect(await whilePassing(seen)).toBe(100);

    // The rates change with time alone, and such changes are also sent.
    const nextSeen = untilSucceeded(150, news);
    await succeed(50);
    expect(await whilePassing(nextSeen)).toBe(true);
  });

  it('yields only the newest state to a slow watcher', async () => {
    const news = await follow();
    const first = next(news);
    await succeed(1);
    await whilePassing(first);

    for (let time = 0; time < 5; time++) {
      await succeed(1);
      await new Promise(setImmediate);
      deps.clock.advance(500);
    }
    await new Promise(setImmediate);

    expect(await whilePassing(next(news))).toBe(6);
  });

  it('yields a heartbeat if nothing changes', async () => {
    // The run was never fed, because the rate of feeding decreases with time alone and would be a change.
    const { campaignId } = await deps.campaigns.create(campaignDefinition.parse(someCampaign));
    const startedAt = deps.clock.now();
    runId = await deps.rows.addRun({ campaignId, revision: 1, scheduledFor: startedAt, state: 'running', startedAt });
    expect(await whilePassing(next(await follow()))).toBe('quiet');
  });

  it('reads the run once for all its readers', async () => {
    const watchers = await Promise.all(Array.from({ length: 8 }, () => follow()));
    const before = looks;

    const seen = Promise.all(watchers.map(next));
    await succeed(100);
    await whilePassing(seen);

    expect(looks - before).toBeLessThanOrEqual(2);
  });

  it('ends when the signal aborts, and then stops reading', async () => {
    const leaving = new AbortController();
    const seen = next(await follow(leaving.signal));

    leaving.abort();

    expect(await seen).toBe('over');
    expect(deps.clock.nextWakeMs()).toBeUndefined();
  });

  it('ends for all readers when it is stopped', async () => {
    const seen = Promise.all([await follow(), await follow()].map(next));

    watch.stop();

    expect(await seen).toEqual(['over', 'over']);
    expect(await next(await follow())).toBe('over');
  });

  it('continues after a failed read of the store', async () => {
    let failures = 0;
    const failing: RunReports = {
      ...deps.reports,
      snapshots: (ids) => {
        if (looks === 2) {
          failures += 1;
          return Promise.reject(new Error('connection lost'));
        }
        return deps.reports.snapshots(ids);
      },
    };
    watchWith(failing);
    const seen = next(await follow());
    await succeed(100);

    expect(await whilePassing(seen)).toBe(100);
    expect(failures).toBe(1);
  });
});
