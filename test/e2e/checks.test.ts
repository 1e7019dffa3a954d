import { afterEach, expect, it } from 'vitest';
import { failuresOf } from '../../services/sandbox/wire/chance.ts';
import { explainRunUser } from '../../sdk/generated/sdk.gen.ts';
import { violations } from '../support/evidence.ts';
import { pageSegment } from './gather-evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const segment = 'lapsed-riders';
const killEveryMs = 2000;
const mostKills = 4;
const salt = 'checks';
const refusedShare = 0.1;

let muster: Installation;
afterEach(() => muster.stop());

it('a campaign calls no user refused by a check and ends each user once, while workers are killed and checks are lost', async () => {
  muster = await startInstallation({
    workers: 3,
    sandbox: {
      SANDBOX_SALT: salt,
      SANDBOX_SEGMENTS: `${segment}=16000`,
      SANDBOX_REWARDS_LATENCY_MS: '50-150',
      SANDBOX_MESSAGES_LATENCY_MS: '50-150',
      SANDBOX_CHECKS_LATENCY_MS: '50-400',
      SANDBOX_CHECKS_FAILURE_SHARE: String(refusedShare),
      SANDBOX_CHECKS_NO_ANSWER_SHARE: '0.05',
      SANDBOX_CHECKS_SERVER_ERROR_SHARE: '0.05',
    },
    engine: { WORKER_CONCURRENCY: '4', WORKER_LEASE_MS: '6000', KAFKA_SESSION_TIMEOUT_MS: '2000' },
    configure: (config) => {
      const url = (config.actionTypes['award-reward']?.url ?? '').replace('/rewards/', '/checks/');
      const caps = { url, class: 'A', answerForm: 'full', timeoutMs: 1000, check: true } as const;
      return { ...config, actionTypes: { ...config.actionTypes, caps } };
    },
  });
  const check = { type: 'caps', onUnavailable: 'wait' } as const;
  const chain = rewardThenMessage.map((step) => ({ ...step, check }));
  const runId = await muster.api.run({ name: 'Checked', countries, segment, chain });
  const kills: Promise<void>[] = [];
  const timer = setInterval(() => {
    if (kills.length === mostKills) return;
    const name = `worker-${(kills.length % 3) + 1}`;
    kills.push((muster.services.get(name)?.end('SIGKILL') ?? Promise.resolve()).then(() => muster.restart(name)));
  }, killEveryMs);
  await muster.api.awaitEnd(runId).finally(() => clearInterval(timer));
  await Promise.all(kills);

  const isRefused = failuresOf({ salt, service: 'checks', failureShare: refusedShare });
  const url = `${muster.sandboxUrl}/segmentation`;
  const users = (await Promise.all(countries.map((country) => pageSegment(url, segment, country)))).flat();
  const refused = new Set(users.filter((user) => isRefused(user) !== undefined));
  expect(refused.size).toBeGreaterThan(1000);
  const evidence = await muster.evidence(runId, segment);
  expect(violations({ ...evidence, suppressed: [refused, refused] })).toEqual([]);
  expect(kills.length).toBeGreaterThanOrEqual(3);
  const suppressed = evidence.failures.filter(({ outcome }) => outcome === 'suppressed');
  expect(new Set(suppressed.map(({ user }) => user))).toEqual(refused);
  const [first] = suppressed;
  const path = { id: runId, userId: first?.user ?? '' };
  const explained = (await explainRunUser({ client: muster.api.client, path })).data;
  expect(explained.steps[0]).toMatchObject({ outcome: 'suppressed', detail: 'refused by the check caps' });
  expect(['cap-reached', 'no-consent']).toContain(explained.steps[0]?.reason);
});
