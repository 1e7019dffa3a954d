import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import {
  changeCampaign,
  createCampaign,
  getCampaign,
  listBudgets,
  listRuns,
  setApprovalPolicy,
  startCampaign,
  startTrial,
  suppressUsers,
} from '../../sdk/generated/sdk.gen.ts';
import type { RunReport } from '../../sdk/generated/types.gen.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { topicNames } from '../../shared/domain/endpoint/shard.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { pageSegment } from './gather-evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const users = 20_000;
const segment = 'lapsed-riders';
/** The segments `vip` and `staff` begin with the first users of the main segment. */
const [inBoth, excluded] = [3000, 500];
const slowPages: FaultSettings['segmentation'] = [{ name: 'slow', of: 'pages', latencyMs: 50 }];

let muster: Installation;
afterEach(() => muster.stop());

/** Counts the messages that were ever published on the topics of the chain. */
async function published(): Promise<number> {
  const kafka = createKafka({
    brokers: muster.kafkaBrokers.split(','),
    clientId: 'dry-run',
    logger: createLogger('e2e', 'silent'),
  });
  const admin = kafka.admin();
  await admin.connect();
  const names = topicNames(muster.topicPrefix);
  const topics = rewardThenMessage.flatMap(({ action }) =>
    countries.map((country) => names.shard({ actionType: action, country })),
  );
  const offsets = (await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)))).flat();
  await admin.disconnect();
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
}

const figuresOf = ({ audience, steps, countries: lines, failures, budgets }: RunReport) => ({
  audience: { counted: audience.counted, excluded: audience.excluded, complete: audience.complete },
  steps,
  lines,
  suppressed: failures.map(({ step, country, outcome, reason, users: count }) => [
    step,
    country,
    outcome,
    reason,
    count,
  ]),
  budgets: budgets.map(({ country, units }) => [country, units]),
});

it('a dry run predicts the later run and makes no call, although its trigger is killed', async () => {
  muster = await startInstallation({
    workers: 1,
    sandbox: {
      SANDBOX_SEGMENTS: `${segment}=${users},vip=${inBoth},staff=${excluded}`,
      // The pages are slow, so that the trigger is still counting when it is killed, even on a fast machine.
      SANDBOX_FAULTS: JSON.stringify({ segmentation: slowPages }),
    },
    engine: { TRIGGER_FEED_LEASE_MS: '3000', TRIGGER_STALL_MS: '2000' },
  });
  const { client } = muster.api;
  const url = `${muster.sandboxUrl}/segmentation`;
  const everybody = (await Promise.all(countries.map((country) => pageSegment(url, segment, country)))).flat();
  const everyTenth = (from: number) => everybody.filter((_, index) => index % 10 === from).slice(0, 1000);
  await suppressUsers({ client, body: { actionType: 'award-reward', users: everyTenth(0), note: 'asked to' } });
  await suppressUsers({ client, body: { actionType: 'send-message', users: everyTenth(1) } });
  const [reward = { action: '' }, message = { action: '' }] = rewardThenMessage;
  const definition = {
    name: 'Payday top-up',
    countries: [...countries],
    audience: {
      include: [{ segment }, { segment: 'vip' }],
      exclude: [{ segment: 'staff' }],
      holdOutPercent: 5,
    },
    chain: [{ ...reward, unitsPerUser: 2 }, message],
    budgets: [{ country: 'SG', units: 100_000 }],
    canary: { users: 100, then: 'pause' as const },
  };
  const { id } = (await createCampaign({ client, body: definition })).data;
  const path = { id };
  await setApprovalPolicy({ client, body: { rules: [{ approvers: 1 }] } });

  const { run } = (await startTrial({ client, path, body: { kind: 'dry-run' } })).data;
  const dryRunId = run?.runId ?? '';
  let isKilled = false;
  const ended = await muster.api.awaitEnd(dryRunId, ({ audience }) => {
    if (isKilled || audience.counted < 2000 || audience.complete) return;
    isKilled = true;
    void muster.services
      .get('trigger')
      ?.end('SIGKILL')
      .then(() => muster.restart('trigger'));
  });
  expect(isKilled).toBe(true);
  expect(ended).toMatchObject({ state: 'completed', kind: 'dry-run', balanced: true });
  const dry = await muster.api.report(dryRunId);
  expect((await readLedger(muster.ledgerFile)).steps).toEqual([]);
  expect(await published()).toBe(0);
  expect((await listRuns({ client, query: { campaignId: id } })).data.items).toEqual([]);
  expect((await listBudgets({ client, path })).data.items[0]).toMatchObject({ used: 0, reserved: 0 });
  expect(dry.audience).toMatchObject({ counted: users - excluded, excluded, shared: inBoth - excluded });
  expect(dry.steps[0]?.heldOut).toBeGreaterThan(0);
  // About 900 of the 1,000 listed users are suppressed: some are excluded, and of the others one in twenty is held out,
  // by an id that differs in each run. The later run must suppress the same number (see below).
  expect(dry.steps[0]?.suppressed).toBeGreaterThan(800);
  expect(dry.forecast?.load.filter(({ users: called }) => called !== 0)).toHaveLength(6);

  await setApprovalPolicy({ client, body: { rules: [] } });
  await changeCampaign({ client, path, body: { canary: null } });
  await startCampaign({ client, path });
  const runId = await firstRunOf(id);
  await muster.api.awaitEnd(runId);
  const live = await muster.api.report(runId);
  expect(figuresOf(dry)).toEqual(figuresOf(live));
  expect(await published()).toBeGreaterThan(0);
});

async function firstRunOf(id: string): Promise<string> {
  for (;;) {
    const { data } = await getCampaign({ client: muster.api.client, path: { id } });
    const runId = data.links.latestRun?.split('/').at(-1);
    if (runId !== undefined) return runId;
    await wait(50);
  }
}
