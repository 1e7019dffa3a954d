import { afterEach, describe, expect, it } from 'vitest';
import { setCaps } from '../../sdk/generated/sdk.gen.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import type { RunProgress } from '../../shared/contracts/runs/runs.ts';
import { reasons } from '../../shared/domain/step/reasons.ts';
import { pageSegment } from '../e2e/gather-evidence.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const cap = { name: 'weekly', actionTypes: ['award-reward', 'send-message'], effects: 2, days: 7 };
/** The smaller segment has the first users of the larger one. */
const segments = { large: 'lapsed-riders', small: 'vip' } as const;
const [reward, message] = rewardThenMessage.map((step) => [step]);
/** Four effects for a user of the small segment, and three for each other user. */
const campaigns = [
  { segment: segments.large, chain: rewardThenMessage },
  { segment: segments.large, chain: message ?? [] },
  { segment: segments.small, chain: reward ?? [] },
];
/** Most users that a failed assertion displays. */
const displayed = 12;

/** Reservations take as long as on a slow disk, so that those of several workers overlap. */
const slowReservations = `
  create function take_long() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return null; end $$;
  create trigger take_long before insert on capped_effects for each statement execute function take_long()`;

/** Lost answers, and retryable failures of some users, whose batches are split. Each is settled by a repeated call. */
const lostAnswers: FaultSettings['calls'] = [
  { name: 'server-error', share: 0.1, answer: { kind: 'status', status: 500, applied: true } },
  { name: 'reset', share: 0.1, answer: { kind: 'reset' } },
  { name: 'hang', share: 0.05, answer: { kind: 'hang' } },
  { name: 'busy', share: 0.1, toAttempt: 1, answer: { kind: 'status', status: 503 } },
  {
    name: 'later',
    share: 0.2,
    toAttempt: 1,
    answer: { kind: 'fail-users', userShare: 0.3, code: 'later', retryable: true },
  },
];

describe('a cap over three campaigns for the same users', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(): Promise<void> {
    trial = await startTrial({
      workers: 3,
      sandbox: {
        SANDBOX_SEGMENTS: `${segments.large}=9000,${segments.small}=4000`,
        SANDBOX_REWARDS_LATENCY_MS: '200-400',
        SANDBOX_MESSAGES_LATENCY_MS: '200-400',
      },
      engine: { WORKER_CONCURRENCY: '6' },
    });
    await trial.database.rows(slowReservations);
    await setCaps({ client: trial.muster.api.client, body: { caps: [cap] } });
  }

  /** Starts the campaigns at once. Returns their runs. */
  async function runAll(): Promise<string[]> {
    const { api, countries } = trial.muster;
    return await Promise.all(
      campaigns.map((campaign, index) => api.run({ name: `Campaign ${index + 1}`, countries, ...campaign })),
    );
  }

  /** Kills each worker of the list after more batches have been served. */
  async function killAmongCalls(runs: readonly string[], victims: readonly string[]): Promise<void> {
    const served = async () => {
      const counts = await Promise.all(runs.flatMap((run) => [1, 2].map((step) => trial.batchesCalled(run, step))));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    for (const victim of victims) {
      const before = await served();
      await until('more batches are served', async () => (await served()) >= before + 15);
      await trial.kill(victim);
      await trial.restart(victim);
    }
  }

  /** Returns the effects of each user in all runs, by the ledger of the called services. */
  async function effectsOfUsers(runs: readonly string[]): Promise<Map<string, number>> {
    const { steps } = await trial.ledger();
    const effects = new Map<string, number>();
    for (const { run, appliedUnderKeys } of steps) {
      if (!runs.includes(run)) continue;
      for (const [user, times] of appliedUnderKeys) effects.set(user, (effects.get(user) ?? 0) + times);
    }
    return effects;
  }

  /** Returns a sentence for each user with more effects than the cap allows. */
  async function exceeded(runs: readonly string[]): Promise<string[]> {
    return [...(await effectsOfUsers(runs))]
      .filter(([, times]) => times > cap.effects)
      .map(([user, times]) => `${times} effects of ${user}, above ${cap.name}`);
  }

  /** Returns the effects of each user that count for caps, by the engine's database. */
  async function countedEffects(): Promise<Map<string, number>> {
    const rows = await trial.database.rows<{ id: string; effects: number }>(
      `select u.id, count(*)::int as effects from capped_effects e
        cross join json_array_elements_text(('[' || e.users || ']')::json) u (id) group by u.id`,
    );
    return new Map(rows.map(({ id, effects }) => [id, effects]));
  }

  /** Returns the users that the cap suppressed in a run, by step from 1. */
  async function suppressedIn(runId: string, steps: number): Promise<Set<string>[]> {
    const failures = await trial.muster.api.failures(runId);
    expect(failures.filter(({ outcome, reason }) => outcome !== 'suppressed' || reason !== reasons.cap)).toEqual([]);
    return Array.from(
      { length: steps },
      (_, index) => new Set(failures.flatMap(({ step, userId }) => (step === index + 1 ? [userId] : []))),
    );
  }

  async function awaitEnds(runs: readonly string[]): Promise<RunProgress[]> {
    return await Promise.all(runs.map((run) => trial.awaitEnd(run, 150_000)));
  }

  it('rows 2 and 20: is reached and never exceeded for each user, with workers killed and answers lost', async () => {
    await begin();
    await trial.switchFaults({ calls: lostAnswers });
    const runs = await runAll();
    await killAmongCalls(runs, ['worker-1', 'worker-2', 'worker-3', 'worker-1', 'worker-2']);
    const ended = await awaitEnds(runs);
    const hits = await trial.faultHits();
    await trial.switchFaults();

    expect(ended.map(({ balanced }) => balanced)).toEqual([true, true, true]);
    for (const { name } of lostAnswers) expect(hits[name]).toBeGreaterThan(0);
    expect((await exceeded(runs)).slice(0, displayed)).toEqual([]);
    for (const [index, run] of runs.entries()) {
      const { segment, chain } = campaigns[index] ?? { segment: '', chain: [] };
      const suppressed = await suppressedIn(run, chain.length);
      const scenario = `cap, workers killed, answers lost, campaign ${index + 1}`;
      expect(await trial.judge(run, { rows: '2, 20', scenario, segment, suppressed })).toEqual([]);
    }

    // The campaigns have at least three effects for each user. A user is suppressed only while two other effects are
    // reserved. No call has failed for good, so these are applied at last, and each user has exactly two effects.
    const { muster } = trial;
    const url = `${muster.sandboxUrl}/segmentation`;
    const pages = muster.countries.map((country) => pageSegment(url, segments.large, country));
    const full = new Map((await Promise.all(pages)).flat().map((user) => [user, cap.effects]));
    expect(differences(full, await effectsOfUsers(runs)).slice(0, displayed)).toEqual([]);
    expect(differences(full, await countedEffects()).slice(0, displayed)).toEqual([]);
  });

  it.each([
    {
      protection: 'comparison of users',
      of: 'users_at_caps',
      text: 'having count(*) >= c.effects',
      instead: 'having false',
    },
    {
      protection: 'lock of countries',
      of: 'reserve_effects',
      text: "pg_try_advisory_xact_lock(hashtextextended('caps ' || c.country, 0))",
      instead: 'true',
    },
  ])('is exceeded without the $protection (control)', async ({ of, text, instead }) => {
    await begin();
    const definitionOf = `select pg_get_functiondef($1::regproc) as definition`;
    const [{ definition = '' } = {}] = await trial.database.rows<{ definition?: string }>(definitionOf, [of]);
    expect(definition).toContain(text);
    await trial.database.rows(definition.replace(text, instead));
    const runs = await runAll();
    await killAmongCalls(runs, ['worker-1']);
    await awaitEnds(runs);
    expect(await exceeded(runs)).toContainEqual(expect.stringMatching(/^[34] effects of .*, above weekly$/));
  });
});

/** Returns a sentence for each user with another number of effects than expected. */
function differences(expected: ReadonlyMap<string, number>, actual: ReadonlyMap<string, number>): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((user) => expected.get(user) !== actual.get(user))
    .map((user) => `${user} has ${actual.get(user) ?? 0} effects instead of ${expected.get(user) ?? 0}`);
}
