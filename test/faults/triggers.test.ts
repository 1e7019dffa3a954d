import { afterEach, describe, expect, it } from 'vitest';
import { createCampaign, listRuns, startCampaign } from '../../sdk/generated/sdk.gen.ts';
import { stepMessage } from '../../shared/contracts/messages/messages.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { patientCalls, startTrial, type Trial, type TrialOptions } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';

/** Sinks without memory in both steps: a page that is fed twice would have two effects. */
const naiveSinks = { SANDBOX_REWARDS_MEMORY: 'none', SANDBOX_MESSAGES_MEMORY: 'none' };

describe('triggers', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(users: number, options: Partial<TrialOptions> = {}): Promise<void> {
    trial = await startTrial({
      workers: 2,
      engine: patientCalls,
      ...options,
      sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=${users}`, ...options.sandbox },
    });
  }

  async function run(over: { deadlineSeconds?: number; chain?: typeof rewardThenMessage } = {}): Promise<string> {
    return await trial.muster.api.run({
      name: 'Fed',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
      ...over,
    });
  }

  it('row 7: neither lose nor duplicate a page if killed between page and commit', async () => {
    await begin(10_000);
    const lock = await trial.database.hold('lock table batches in exclusive mode');
    const runId = await run();
    await lock.awaitWaiting('batches');
    await trial.kill('trigger');
    await lock.release();
    await trial.restart('trigger');

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '7', scenario: 'killed before its commit', segment })).toEqual([]);
  });

  it('row 7: leave committed pages to the next trigger if killed before publication', async () => {
    await begin(10_000);
    const topics = trial.muster.countries.map((country) => trial.topic('award-reward', country));
    // Free workers would take work from Postgres without a message, so they are frozen.
    for (const worker of trial.names('worker')) trial.freeze(worker);
    const healed = trial.injections.begin('unwritable', 'award-reward');
    await Promise.all(topics.map((topic) => trial.topics.writable(topic, false)));
    const runId = await run();
    // The publication of the first page fails, and the feed waits.
    await until('a page is committed in each country', async () => {
      const feeds = await trial.database.count('select distinct feed from batches');
      return feeds === trial.muster.countries.length;
    });
    await trial.kill('trigger');
    await Promise.all(topics.map((topic) => trial.topics.writable(topic, true)));
    healed();
    expect((await trial.ledger()).of(runId, 1).calls).toBe(0);
    expect(await trial.topics.contents(topics)).toEqual([]);
    await trial.restart('trigger');
    await until('the pages are published', async () => (await trial.topics.contents(topics)).length > 0);
    for (const worker of trial.names('worker')) trial.thaw(worker);

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '7', scenario: 'killed before publication', segment })).toEqual([]);
  });

  it('row 7: lose no user if killed repeatedly while feeding', async () => {
    await begin(40_000);
    const runId = await run();
    for (let kill = 1; kill <= 4; kill++) {
      await until('it feeds', async () => (await trial.database.count('select 1 from batches')) >= kill * 80);
      await trial.kill('trigger');
      await trial.restart('trigger');
    }

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '7', scenario: 'killed while it feeds', segment })).toEqual([]);
  });

  it('row 8: create one run per start, even if requested twice or due at one moment, with two triggers and schedulers', async () => {
    await begin(3000, { triggers: 2, schedulers: 2 });
    const { countries } = trial.muster;
    const { client } = trial.muster.api;
    const audience = { include: [{ segment }] };
    // The time is in the future, because campaigns with a past time are refused at their start.
    const due = new Date(Date.now() + 10_000).toISOString();
    const [now, later] = [{ type: 'now' } as const, { type: 'at', time: due } as const];
    const schedules = [now, now, later, later];
    const campaigns = await Promise.all(
      schedules.map(async (schedule) => {
        const body = { name: 'Twice', countries: [...countries], audience, chain: rewardThenMessage, schedule };
        return (await createCampaign({ client, body })).data.id;
      }),
    );
    trial.injections.happened('started twice', 'four campaigns');
    await Promise.all([...campaigns, ...campaigns].map((id) => startCampaign({ client, path: { id } })));

    const runs = await until('each campaign has a run', async () => {
      const found = await trial.database.rows<{ campaign: string }>('select campaign::text from runs');
      return found.length >= campaigns.length ? found : undefined;
    });
    for (const [index, id] of campaigns.entries()) {
      const { items } = (await listRuns({ client, query: { campaignId: id } })).data;
      expect(items).toHaveLength(1);
      const runId = items[0]?.runId ?? '';
      await trial.awaitEnd(runId);
      expect(await trial.judge(runId, { rows: '8', scenario: `two triggers, campaign ${index + 1}`, segment })).toEqual(
        [],
      );
    }
    expect(runs).toHaveLength(campaigns.length);
    expect(await trial.database.count('select 1 from runs')).toBe(campaigns.length);
  });

  it('row 44: publish each reference only a few times without consumers, and the deadline ends the runs', async () => {
    // A deadline of one minute instead of one hour.
    await begin(10_000, { workers: 0 });
    const chain = rewardThenMessage.slice(0, 1);
    const runs = await Promise.all(Array.from({ length: 20 }, () => run({ deadlineSeconds: 60, chain })));
    const nobody = trial.injections.begin('no workers', 'all shards');

    for (const runId of runs) await trial.awaitEnd(runId, 120_000);
    nobody();
    const topics = trial.muster.countries.map((country) => trial.topic('award-reward', country));
    const offers = offersOf(await trial.topics.contents(topics));
    const batches = await trial.database.count('select 1 from batches');
    const reports = await Promise.all(runs.map((runId) => trial.muster.api.report(runId)));
    expect(reports.map(({ state }) => state)).toEqual(runs.map(() => 'expired'));
    expect(reports.every(({ balanced }) => balanced)).toBe(true);
    expect(reports.flatMap(({ steps }) => steps.map(({ pending, unknown }) => pending + unknown))).toEqual(
      runs.map(() => 0),
    );
    // A reference is published when its batch is fed, and once when its step does not progress. If it were published
    // every 10 s, there would be six.
    expect(offers.size).toBe(batches);
    expect(Math.max(...offers.values())).toBeLessThanOrEqual(3);
  });

  it('row 47: cannot write a page after the end of the run if frozen while feeding', async () => {
    // The frozen trigger's lease is longer than the run, so no other trigger takes its feeds. Only the end of the run
    // can fence the trigger.
    await begin(10_000, { engineOf: { trigger: { TRIGGER_FEED_LEASE_MS: '120000' } } });
    await trial.switchFaults({ segmentation: [{ name: 'page-hangs', of: 'pages', notFirst: true, latencyMs: 1500 }] });
    const runId = await run({ deadlineSeconds: 60 });
    await until('it is fed', async () => (await trial.database.count('select 1 from batches')) >= 2);
    trial.freeze('trigger');
    await trial.restart('trigger-2');
    await trial.database.rows(`update runs set deadline_at = now() + interval '5 seconds'`);

    await trial.awaitEnd(runId, 120_000);
    const ended = await trial.muster.api.report(runId);
    trial.thaw('trigger');
    await lasting(5000);
    await trial.switchFaults();

    const later = await trial.muster.api.report(runId);
    expect(later.audience).toEqual(ended.audience);
    const allow = { runStates: ['expired', 'completed_with_failures'] };
    expect(await trial.judge(runId, { rows: '47', scenario: 'page written late', segment, allow })).toEqual([]);
  });
});

/** Counts how often each batch is on the topics. */
function offersOf(messages: readonly string[]): Map<string, number> {
  const offers = new Map<string, number>();
  for (const { feedId, batchNos } of messages.map((text) => stepMessage.parse(JSON.parse(text)))) {
    for (const batchNo of batchNos) {
      const batch = `${feedId}/${batchNo}`;
      offers.set(batch, (offers.get(batch) ?? 0) + 1);
    }
  }
  return offers;
}
