import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { explainRunUser, pauseRun, resumeRun, suppressUsers } from '../../sdk/generated/sdk.gen.ts';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { violations } from '../support/evidence.ts';
import { pageSegment } from './gather-evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const segment = 'lapsed-riders';
const usersAtOnce = 1000;
const killEveryMs = 3000;
const mostKills = 4;

let muster: Installation;
afterEach(() => muster.stop());

async function until(runId: string, isSo: (progress: RunProgress) => boolean): Promise<RunProgress> {
  for (;;) {
    const progress = await muster.api.progress(runId);
    if (isSo(progress)) return progress;
    await wait(50);
  }
}

async function suppress(actionType: string, users: readonly string[]): Promise<void> {
  const { client } = muster.api;
  for (let from = 0; from < users.length; from += usersAtOnce) {
    const body = { actionType, users: users.slice(from, from + usersAtOnce), note: 'asked to' };
    await suppressUsers({ client, body });
  }
}

it('a campaign calls no user on a suppression list, added before or during the run, while workers are killed', async () => {
  muster = await startInstallation({
    workers: 3,
    sandbox: {
      SANDBOX_SEGMENTS: `${segment}=24000`,
      SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
      SANDBOX_REWARDS_LATENCY_MS: '100-300',
      SANDBOX_MESSAGES_LATENCY_MS: '100-300',
    },
    engine: {
      WORKER_CONCURRENCY: '2',
      WORKER_LEASE_MS: '6000',
      KAFKA_SESSION_TIMEOUT_MS: '2000',
    },
  });
  const { client } = muster.api;
  const url = `${muster.sandboxUrl}/segmentation`;
  const users = (await Promise.all(countries.map((country) => pageSegment(url, segment, country)))).flat();
  const everyTenth = (from: number) => users.filter((_, index) => index % 10 === from);
  const [ofRewards, ofMessages, ofAll] = [everyTenth(0), everyTenth(1), everyTenth(2)];
  await suppress('award-reward', ofRewards);
  await suppress('send-message', ofMessages);

  const runId = await muster.api.run({ name: 'Withheld', countries, segment, chain: rewardThenMessage });
  await until(runId, ({ steps }) => (steps[0]?.succeeded ?? 0) > 4000);
  await pauseRun({ client, path: { id: runId }, body: {} });
  await until(runId, ({ state }) => state === 'paused');
  const ledger = await readLedger(muster.ledgerFile);
  const unserved = (step: number) => {
    const served = ledger.of(runId, step).appliedUnderKeys;
    return ofAll.filter((user) => !served.has(user));
  };
  await suppress('*', ofAll);
  const suppressed = [new Set([...ofRewards, ...unserved(1)]), new Set([...ofMessages, ...unserved(2)])];

  await resumeRun({ client, path: { id: runId }, body: {} });
  const kills: Promise<void>[] = [];
  const timer = setInterval(() => {
    if (kills.length === mostKills) return;
    const name = `worker-${(kills.length % 3) + 1}`;
    kills.push((muster.services.get(name)?.end('SIGKILL') ?? Promise.resolve()).then(() => muster.restart(name)));
  }, killEveryMs);
  await muster.api.awaitEnd(runId).finally(() => clearInterval(timer));
  await Promise.all(kills);

  const evidence = await muster.evidence(runId, segment);
  expect(violations({ ...evidence, suppressed })).toEqual([]);
  expect(kills.length).toBeGreaterThanOrEqual(3);
  const inMidst = evidence.failures.filter(({ outcome, user }) => outcome === 'suppressed' && ofAll.includes(user));
  expect(inMidst.length).toBeGreaterThan(100);
  const [first] = inMidst;
  const user = first?.user ?? '';
  const explained = (await explainRunUser({ client, path: { id: runId, userId: user } })).data;
  expect(explained.steps.find(({ outcome }) => outcome === 'suppressed')).toMatchObject({
    reason: 'muster.suppression-list',
    detail: 'on the suppression list of all action types: asked to',
    attempts: [],
  });
});
