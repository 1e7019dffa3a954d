import { afterEach, describe, expect, it } from 'vitest';
import type { StepEffects } from '../../services/sandbox/ledger/ledger.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { compareNeighbour, undisturbed } from './support/neighbours.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';

/**
 * Proves that the checker can fail: on real processes, a protection is overridden from outside, or a record is
 * falsified, and the checker has to report it. Protections inside the engine are removed in test/simulation and
 * test/mutations.
 */
describe('the checker detects in real processes', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(users: number, workers: number, sandbox: Record<string, string> = {}): Promise<string> {
    trial = await startTrial({
      workers,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '300-600',
        SANDBOX_MESSAGES_LATENCY_MS: '300-600',
        ...sandbox,
      },
      engine: { WORKER_CONCURRENCY: '10' },
    });
    const { api, countries } = trial.muster;
    return await api.run({ name: 'Overridden', countries, segment, chain: rewardThenMessage });
  }

  function judge(runId: string, scenario: string): Promise<string[]> {
    return trial.judge(runId, { rows: 'control', scenario, segment });
  }

  it('leases that expire at once, so that two workers call one key (I2)', async () => {
    const runId = await begin(10_000, 3);
    await trial.awaitCalls(runId, 1, 10);
    const over = trial.injections.begin('leases ended', 'all claims');
    const saboteur = setInterval(() => {
      // The statement skips rows that workers have locked at that moment; the next one changes them.
      const sql = `update batch_steps set lease_until = now() - interval '1 second' where state = 1`;
      void trial.database.rows(sql).catch(() => undefined);
    }, 200);
    try {
      // While leases expire at once, most answers are refused and the run progresses by chance, so the sabotage ends as
      // soon as keys are repeated.
      await until('keys are called again', async () => repeatedKeys((await trial.ledger()).of(runId, 1)) >= 20);
    } finally {
      clearInterval(saboteur);
      over();
    }
    await trial.awaitEnd(runId);
    expect(await judge(runId, 'leases ended')).toContainEqual(expect.stringMatching(/^I2: \d+ (keys|calls)/));
  });

  it('references lost while no trigger runs: their users have no outcome (I1) until one runs', async () => {
    // Messages are so slow that most are not sent when the workers stop.
    const runId = await begin(10_000, 2, { SANDBOX_MESSAGES_LATENCY_MS: '1200-1500' });
    await trial.awaitCalls(runId, 2, 10);
    await until('all is fed', async () => (await trial.database.count('select 1 from feeds where not complete')) === 0);
    await Promise.all([...trial.names('worker'), 'trigger'].map((name) => trial.stop(name)));
    trial.injections.happened('topics deleted', 'all');
    for (const { action } of rewardThenMessage) {
      for (const country of trial.muster.countries) await trial.topics.delete(trial.topic(action, country));
    }
    await trial.restart(...trial.names('worker'));
    await lasting(15_000);
    expect(await judge(runId, 'not swept')).toContainEqual(expect.stringMatching(/^I1: \d+ pending/));

    await trial.restart('trigger');
    await trial.awaitEnd(runId, 120_000);
    expect(await judge(runId, 'swept again')).toEqual([]);
  });

  it('a reward for an untargeted user, and a second reward (I2, I5)', async () => {
    const runId = await begin(1000, 1);
    await trial.awaitEnd(runId);
    const { applied } = (await trial.ledger()).of(runId, 1);
    const [served = ''] = applied.keys();
    const stray = {
      campaign: 'cmp_stray',
      run: runId,
      step: 1,
      country: 'SG',
      batch: 1,
      action: { type: 'award-reward', params: {} },
      users: [served, 'a-stranger'],
    };
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'stray', 'muster-attempt': '1' };
    const answer = await fetch(`${trial.muster.sandboxUrl}/rewards/v1/batches`, {
      method: 'POST',
      headers: { ...headers, 'muster-mode': 'live' },
      body: JSON.stringify(stray),
    });
    expect(answer.status).toBe(200);

    const found = await judge(runId, 'stray effects');
    expect(found).toContain(`I2: 2 effects for ${served}, step 1`);
    expect(found).toContain('I5: effect for unexpected a-stranger, step 1');
  });

  it('a failed user missing from the list of failures (I4, I6)', async () => {
    const runId = await begin(1000, 1, { SANDBOX_REWARDS_FAILURE_SHARE: '0.05' });
    await trial.awaitEnd(runId);
    expect(await judge(runId, 'before it is falsified')).toEqual([]);

    await trial.database.rows('delete from user_failures where ctid in (select ctid from user_failures limit 1)');
    const found = await judge(runId, 'a failure removed');
    expect(found).toContainEqual(expect.stringMatching(/^I4: \d+ failed, \d+ failures listed/));
    expect(found).toContainEqual(expect.stringMatching(/^I6: 1 users .* have no outcome/));
  });

  it('a fault that also slows down the neighbour by more than 20 % (I8)', async () => {
    trial = await startTrial({
      workers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=60000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1',
        SANDBOX_POINTS_LATENCY_MS: '200',
      },
      engine: { WORKER_CONCURRENCY: '40' },
    });
    const chain = [{ action: 'award-points', params: {} }];
    const run = (country: string) => trial.muster.api.run({ name: country, countries: [country], segment, chain });
    const { other, seconds } = await compareNeighbour(trial, {
      neighbour: () => run('SG'),
      other: () => run('ID'),
      step: 1,
      breakIt: () => trial.switchFaults({ calls: [{ name: 'slow for all', latencyMs: 1000 }] }),
      isBroken: async () => ((await trial.faultHits())['slow for all'] ?? 0) >= 3,
      healIt: () => trial.switchFaults(),
    });
    await trial.awaitEnd(other, 150_000);
    expect(seconds.beside).toBeGreaterThan(undisturbed(seconds.without));
  });
});

function repeatedKeys({ keys }: StepEffects): number {
  return [...keys.values()].filter(({ at }) => at.length > 1).length;
}
