import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  approveCampaign,
  changeActionType,
  createApiKey,
  createCampaign,
  getCampaign,
  listBudgets,
  resumeRun,
  setApprovalPolicy,
  startCampaign,
  startTrial,
  submitCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import type { CampaignDefinitionInput, RunProgress } from '../../sdk/generated/types.gen.ts';
import { createMusterClient } from '../../sdk/muster.ts';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

let muster: Installation;
beforeEach(async () => {
  muster = await startInstallation({
    workers: 'all-in-one',
    sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=600' },
    countries: ['SG'],
  });
});
afterEach(() => muster.stop());

const pollMs = 50;
/** Users of the segment. */
const inSingapore = 240;
const [reward = { action: '' }, message = { action: '' }] = rewardThenMessage;
/** The first two of the segment. */
const users = firstOfSegment(2);

async function draft(client = muster.api.client, changes: Partial<CampaignDefinitionInput> = {}) {
  const definition = {
    name: 'Payday top-up',
    countries: ['SG'],
    chain: [
      { ...reward, unitsPerUser: 2 },
      { ...message, unitsPerUser: 1 },
    ],
    audience: { include: [{ segment: 'lapsed-riders' }], exclude: [] },
    budgets: [{ country: 'SG', units: 10_000 }],
    ...changes,
  };
  return (await createCampaign({ client, body: definition })).data.id;
}

async function tested(id: string, again = false) {
  const { client } = muster.api;
  const body = { kind: 'test' as const, users, country: 'SG', again };
  const { run } = (await startTrial({ client, path: { id }, body })).data;
  const runId = run?.runId ?? '';
  return { ended: await muster.api.awaitEnd(runId), runId, ledger: await readLedger(muster.ledgerFile) };
}

it('a test send calls and charges only the real steps, can be repeated, and its users are served by the campaign', async () => {
  const { client } = muster.api;
  await changeActionType({ client, path: { name: 'award-reward' }, body: { understandsTest: true } });
  const id = await draft();

  const first = await tested(id);
  expect(first.ended).toMatchObject({ state: 'completed', balanced: true, kind: 'test' });
  expect(first.ended.steps).toMatchObject([
    { action: 'award-reward', mode: 'test', audience: 2, succeeded: 2 },
    { action: 'send-message', mode: 'live', audience: 2, succeeded: 2 },
  ]);
  expect([...first.ledger.of(first.runId, 1).applied.keys()]).toEqual([]);
  expect([...first.ledger.of(first.runId, 2).applied.keys()].toSorted()).toEqual(users);

  await expect(tested(id)).rejects.toMatchObject({ problem: { status: 409, code: 'reached-by-test' } });
  const second = await tested(id, true);
  expect([...second.ledger.of(second.runId, 2).applied.keys()].toSorted()).toEqual(users);
  const [budget] = (await listBudgets({ client, path: { id } })).data.items;
  expect(budget).toMatchObject({ used: 4, reserved: 0 });
  expect((await getCampaign({ client, path: { id } })).data).toMatchObject({ state: 'draft' });

  await startCampaign({ client, path: { id } });
  const runId = await firstRunOf(id);
  const whole = await muster.api.awaitEnd(runId);
  expect(whole).toMatchObject({ state: 'completed', kind: 'live', audience: { counted: inSingapore } });
  const ledger = await readLedger(muster.ledgerFile);
  for (const user of users) {
    expect([ledger.of(runId, 1).applied.get(user), ledger.of(runId, 2).applied.get(user)]).toEqual([1, 1]);
  }
  expect((await listBudgets({ client, path: { id } })).data.items[0]).toMatchObject({ used: 4 + inSingapore * 3 });
});

it('a draft is tested, approved, served to a canary, continued by a user and completed', async () => {
  const { client } = muster.api;
  await setApprovalPolicy({ client, body: { rules: [{ usersAbove: 100, approvers: 1 }] } });
  const [maker, checker] = [await clientOf('mei', 'manager'), await clientOf('rahayu', 'approver')];
  const id = await draft(maker, { canary: { users: 130, then: 'pause' } });
  const path = { id };
  const body = { kind: 'test' as const, users, country: 'SG' };
  const { run: test } = (await startTrial({ client: maker, path, body })).data;
  expect(await muster.api.awaitEnd(test?.runId ?? '')).toMatchObject({ state: 'completed', kind: 'test' });

  await expect(startCampaign({ client: maker, path })).rejects.toThrow(/needs 1 approver/);
  const { hash } = (await submitCampaign({ client: maker, path, body: {} })).data;
  await approveCampaign({ client: checker, path, body: { hash } });
  await startCampaign({ client: maker, path });

  const runId = await firstRunOf(id);
  const waiting = await progressOf(runId, ({ state }) => state === 'paused');
  expect(waiting).toMatchObject({ canary: 'waits', stateReason: 'canary: 130 users have ended, none failed' });
  expect(waiting.audience).toMatchObject({ counted: 130, complete: false });
  await muster.services.get('all')?.end('SIGKILL');
  await muster.restart('all');
  expect((await muster.api.progress(runId)).audience.counted).toBe(130);
  const before = (await readLedger(muster.ledgerFile)).of(runId, 2).applied;
  expect([...before.keys()].toSorted()).toEqual(firstOfSegment(130));

  await resumeRun({ client: maker, path: { id: runId }, body: {} });
  expect(await muster.api.awaitEnd(runId)).toMatchObject({
    state: 'completed',
    canary: 'over',
    balanced: true,
    audience: { counted: inSingapore },
  });
  const after = await readLedger(muster.ledgerFile);
  for (const step of [1, 2]) {
    expect([...after.of(runId, step).applied].toSorted()).toEqual(firstOfSegment(inSingapore).map((user) => [user, 1]));
  }
});

function firstOfSegment(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `sg-${String(index + 1).padStart(9, '0')}`);
}

async function clientOf(owner: string, role: 'manager' | 'approver') {
  const body = { name: `${owner}, ${role}`, owner, role };
  const { secret } = (await createApiKey({ client: muster.api.client, body })).data;
  const url = muster.cliEnvironment['MUSTER_API_URL'] ?? '';
  return createMusterClient({ url, apiKey: secret, retries: 0 });
}

async function progressOf(runId: string, isSo: (progress: RunProgress) => boolean): Promise<RunProgress> {
  for (;;) {
    const progress = await muster.api.progress(runId);
    if (isSo(progress)) return progress;
    if (progress.endedAt !== null) throw new Error(`the run is ${progress.state}`);
    await wait(pollMs);
  }
}

async function firstRunOf(id: string): Promise<string> {
  for (;;) {
    const { data } = await getCampaign({ client: muster.api.client, path: { id } });
    const runId = data.links.latestRun?.split('/').at(-1);
    if (runId !== undefined) return runId;
    await wait(pollMs);
  }
}
