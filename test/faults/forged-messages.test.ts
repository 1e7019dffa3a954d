import { afterEach, describe, expect, it } from 'vitest';
import { explainRunUser, groupQuarantinedMessages } from '../../sdk/generated/sdk.gen.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { faultControls } from '../mutations/fault-controls.ts';
import { forgeReferences, type ForgedLoss } from './support/forge-references.ts';
import { compareNeighbour, undisturbed } from './support/neighbours.ts';
import { patientCalls, startTrial, type Trial, type TrialOptions } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';

/** P8: a message in Kafka can make a worker look at work, but never decides who gets what. */
describe('row 49: forged messages', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function setAside(topicPart: string): Promise<Record<string, number>> {
    const { items } = (await groupQuarantinedMessages({ client: trial.muster.api.client })).data;
    const own = items.filter(({ topic }) => topic.includes(topicPart));
    const sums = Map.groupBy(own, ({ reason }) => reason);
    return Object.fromEntries(
      [...sums].map(([reason, entries]) => [reason, entries.reduce((sum, { items: found }) => sum + found, 0)]),
    );
  }

  async function begin(options: Pick<TrialOptions, 'engineOf' | 'without'>): Promise<void> {
    trial = await startTrial({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=10000`,
        SANDBOX_REWARDS_FAILURE_SHARE: '0.3',
        SANDBOX_REWARDS_LATENCY_MS: '50-100',
        SANDBOX_MESSAGES_LATENCY_MS: '300-600',
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: '10' },
      ...options,
    });
  }

  it.each<ForgedLoss>(['no user was lost', 'many users were lost'])(
    'change nothing in step 2 if they claim that %s: exactly the users with a reward get a message',
    async (loss) => {
      const [port = 0] = await findFreePorts(1);
      await begin({ engineOf: { 'worker-1': { HEALTH_PORT: String(port) } } });
      const over = trial.injections.begin('forged references', loss);
      const forger = forgeReferences(trial, 'send-message', loss);
      const { api, countries } = trial.muster;
      const runId = await api.run({ name: 'Lied about', countries, segment, chain: rewardThenMessage });
      await trial.awaitEnd(runId, 120_000);
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const measured = { 'messages forged': await forger.stop() };
      over();

      expect(await trial.judge(runId, { rows: '49', scenario: `forged: ${loss}`, segment, measured })).toEqual([]);
      const [refused, rewarded] = [await outcomesOf(runId, 'failed'), await outcomesOf(runId, 'applied')];
      expect(refused).toEqual(['failed', 'skipped']);
      expect(rewarded).toEqual(['succeeded', 'succeeded']);
      const kept = await setAside('send-message');
      expect(kept['not whom the rows have left in it']).toBeGreaterThan(0);
      expect(kept['no step that the rows know to be due']).toBeGreaterThan(0);
      expect(metrics).toMatch(/muster_messages_set_aside_total\{[^}]*cause="contradicted"[^}]*\} [1-9]/);
    },
  );

  it('are believed if the rows are not read, and users without a reward get a message (control)', async () => {
    await begin({ without: faultControls.rowsSayWhoIsLeft });
    const forger = forgeReferences(trial, 'send-message', 'no user was lost');
    const { api, countries } = trial.muster;
    const runId = await api.run({ name: 'Believed', countries, segment, chain: rewardThenMessage });
    const served = await until('somebody is served who may not be', async () => {
      const ledger = await trial.ledger();
      const refused = ledger.of(runId, 1).failed;
      return [...ledger.of(runId, 2).applied.keys()].find((user) => refused.has(user));
    });
    await forger.stop();
    const { client } = api;
    const { steps } = (await explainRunUser({ client, path: { id: runId, userId: served } })).data;
    expect(steps[0]?.outcome).toBe('failed');
  });

  /** Returns the answers of `explain` for one user whose reward was refused or given. They have to match the ledger. */
  async function outcomesOf(runId: string, reward: 'failed' | 'applied'): Promise<string[]> {
    const ledger = await trial.ledger();
    const { applied, failed } = ledger.of(runId, 1);
    const [userId = ''] = reward === 'applied' ? applied.keys() : failed.keys();
    const { client } = trial.muster.api;
    const { steps } = (await explainRunUser({ client, path: { id: runId, userId } })).data;
    expect(ledger.of(runId, 2).applied.has(userId)).toBe(reward === 'applied');
    return steps.map(({ outcome }) => outcome);
  }

  it('do not slow down campaigns of other countries if they arrive in an endless stream, and few are kept', async () => {
    trial = await startTrial({
      workers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=30000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1',
        SANDBOX_POINTS_LATENCY_MS: '400',
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: '40' },
    });
    const chain = [{ action: 'award-points', params: {} }];
    const run = (country: string) => trial.muster.api.run({ name: country, countries: [country], segment, chain });
    let over: (() => void) | undefined;
    let flooding: Promise<number> | undefined;
    let flooded = true;
    const { other, seconds } = await compareNeighbour(trial, {
      neighbour: () => run('SG'),
      other: () => run('ID'),
      step: 1,
      breakIt: () => {
        over = trial.injections.begin('flood', 'ID');
        flooding = flood(trial.topic('award-points', 'ID'), () => flooded);
        return Promise.resolve();
      },
      isBroken: async () => Object.keys(await setAside('award-points.ID')).length > 0,
      healIt: () => {
        flooded = false;
        over?.();
        return Promise.resolve();
      },
    });
    const sent = (await flooding) ?? 0;
    await trial.awaitEnd(other, 120_000);
    const kept = Object.values(await setAside('award-points.ID')).reduce((sum, messages) => sum + messages, 0);

    expect(sent).toBeGreaterThan(3000);
    expect(kept).toBeLessThanOrEqual(1100);
    const measured = { 'messages of the flood': sent, kept, 's without': seconds.without, 's beside': seconds.beside };
    expect(await trial.judge(other, { rows: '49', scenario: 'forged flood', segment, measured })).toEqual([]);
    expect(seconds.beside).toBeLessThan(undisturbed(seconds.without));
  });

  /** Sends up to 2,000 messages per second: garbage, and references with false claims about existing batches. */
  async function flood(topic: string, goesOn: () => boolean): Promise<number> {
    const [known] = await until('a batch is fed', async () => {
      const sql = `select i.id as installation, b.feed from installation i, batches b join feeds f using (feed)
        where f.country = 'ID' limit 1`;
      const rows = await trial.database.rows<{ installation: string; feed: string }>(sql);
      return rows.length > 0 && rows;
    });
    const batchNos = Array.from({ length: 50 }, (_, index) => index + 1);
    const reference = { installation: known?.installation, feedId: known?.feed, step: 1, batchNos };
    const lie = Buffer.from(JSON.stringify({ ...reference, remaining: batchNos.map(() => 1) }));
    const garbage = Buffer.from('x'.repeat(2000));
    let sent = 0;
    for (let turn = 0; goesOn(); turn++) {
      const values = Array.from({ length: 200 }, (_, index) => (index % 50 === 0 ? lie : garbage));
      await trial.topics.produce(topic, turn % 4, values);
      sent += values.length;
      await lasting(100);
    }
    return sent;
  }
});
