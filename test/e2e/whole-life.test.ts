import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import {
  approveCampaign,
  createApiKey,
  createCampaignOfTemplate,
  createTemplate,
  getCampaign,
  listBudgets,
  pauseRun,
  resumeRun,
  retryFailedUsers,
  setApprovalPolicy,
  setQuietHours,
  startCampaign,
  startTrial,
  submitCampaign,
  verifyAudit,
} from '../../sdk/generated/sdk.gen.ts';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { createMusterClient } from '../../sdk/muster.ts';
import { startInstallation, type Installation } from './installation.ts';

let muster: Installation;
afterEach(() => muster.stop());

const pollMs = 50;
/** Users of the segment in Singapore. */
const inSingapore = 240;
const country = 'SG';

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

async function inSandbox(faults: Partial<FaultSettings>): Promise<void> {
  const answer = await fetch(`${muster.sandboxUrl}/control`, { method: 'POST', body: JSON.stringify(faults) });
  expect(answer.status).toBe(200);
}

/** A file of the run, line by line, without its head. */
async function exported(runId: string, list: string): Promise<string[]> {
  const answer = await muster.api.request(`/v1/runs/${runId}/${list}`, { headers: { accept: 'text/csv' } });
  expect(answer.status).toBe(200);
  return (await answer.text()).trimEnd().split('\r\n').slice(1);
}

/** Returns the time of day in UTC, this many hours from now. */
const timeIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
const userOf = (number: number) => `sg-${String(number).padStart(9, '0')}`;

it('every action on a campaign from its template to its last export is in the audit log', async () => {
  muster = await startInstallation({
    workers: 2,
    sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=600' },
    countries: [country],
    engine: { MUSTER_CURRENCY: 'SGD' },
    configure: (config) => {
      const { 'award-reward': reward, 'send-message': message, ...others } = config.actionTypes;
      if (!reward || !message) throw new Error('there are rewards and messages');
      const priced = { 'award-reward': { ...reward, price: '0.05' }, 'send-message': { ...message, price: '0.0003' } };
      return { ...config, actionTypes: { ...others, ...priced } };
    },
  });
  const { client } = muster.api;
  const [maker, checker] = [await clientOf('mei', 'manager'), await clientOf('rahayu', 'approver')];
  await setApprovalPolicy({ client, body: { rules: [{ amountAbove: '20.00', approvers: 1 }] } });

  // The campaign comes from a template, with a hold-out, a canary and a budget in money.
  const template = {
    name: 'Payday',
    variables: { reward: { type: 'string' as const } },
    campaign: {
      countries: [country],
      audience: { include: [{ segment: 'lapsed-riders' }], holdOutPercent: 10, holdOutSeed: 'whole-life' },
      chain: [
        { action: 'award-reward', params: { rewardId: { $variable: 'reward' }, units: 2 }, unitsPerUser: 2 },
        { action: 'send-message', params: { template: 'congratulations' }, unitsPerUser: 1 },
      ],
      budgets: [{ country, amount: '100.00', currency: 'SGD' }],
      canary: { users: 100, then: 'pause' as const },
    },
  };
  const { id: templateId } = (await createTemplate({ client: maker, body: template })).data;
  const use = { name: 'Payday, March', variables: { reward: 'ride-5' } };
  const draft = (await createCampaignOfTemplate({ client: maker, path: { id: templateId }, body: use })).data;
  const path = { id: draft.id };
  expect(draft).toMatchObject({ state: 'draft', budgets: [{ amount: '100.00', currency: 'SGD' }] });

  // The draft is tested with two users.
  const tried = { kind: 'test' as const, users: [userOf(1), userOf(2)], country };
  const { run: test } = (await startTrial({ client: maker, path, body: tried })).data;
  expect(await muster.api.awaitEnd(test?.runId ?? '')).toMatchObject({ state: 'completed', kind: 'test' });
  const cents = async () => (await listBudgets({ client, path })).data.items[0]?.money;
  expect(await cents()).toMatchObject({ used: '0.2006', reserved: '0.00' });

  // Another person approves the campaign, and sees its highest cost: 252 users at 0.1003.
  await expect(startCampaign({ client: maker, path })).rejects.toThrow(/more than 20.00 SGD/);
  const { hash, costAtMost } = (await submitCampaign({ client: maker, path, body: {} })).data;
  expect(costAtMost).toEqual({ currency: 'SGD', amount: '25.2756' });
  expect((await getCampaign({ client, path })).data.state).toBe('in_review');
  await approveCampaign({ client: checker, path, body: { hash } });

  // The sandbox refuses the reward of some users until the test changes this below.
  const failing = Array.from({ length: 20 }, (_, index) => userOf(index + 150));
  const answer = { kind: 'fail-users', users: failing, code: 'out-of-stock', retryable: false } as const;
  await inSandbox({ calls: [{ name: 'out of stock', services: ['rewards'], answer }] });
  await startCampaign({ client: maker, path });
  const runId = await firstRunOf(draft.id);
  const run = { id: runId };
  expect(await progressOf(runId, ({ state }) => state === 'paused')).toMatchObject({
    canary: 'waits',
    stateReason: 'canary: 100 users have ended, none failed',
  });

  // The campaign continues in quiet hours: rewards are given, and messages wait.
  const night = { actionType: 'send-message', from: timeIn(-2), until: timeIn(2), zone: 'UTC', then: 'wait' } as const;
  await setQuietHours({ client, body: { rules: [night] } });
  // Running workers are notified of the rule within a second; restarted workers read the rule at their start.
  for (const name of ['worker-1', 'worker-2']) {
    await muster.services.get(name)?.end('SIGTERM');
    await muster.restart(name);
  }
  await resumeRun({ client: maker, path: run, body: {} });
  const quiet = await progressOf(
    runId,
    ({ steps, audience, waits }) => audience.complete && steps[0]?.pending === 0 && waits.length > 0,
  );
  expect(quiet.waits.map(({ action, cause }) => `${action}, ${cause}`)).toEqual([
    expect.stringMatching(/^send-message, quiet hours: /),
  ]);
  expect(quiet.steps[1]).toMatchObject({ succeeded: 100 });

  // A person pauses the run, and resumes it in the morning.
  await pauseRun({ client: maker, path: run, body: { reason: 'lunch' } });
  await progressOf(runId, ({ state }) => state === 'paused');
  await setQuietHours({ client, body: { rules: [] } });
  await resumeRun({ client: maker, path: run, body: {} });
  const ended = await muster.api.awaitEnd(runId);
  expect(ended).toMatchObject({ state: 'completed_with_failures', balanced: true, audience: { counted: inSingapore } });
  const [rewards] = ended.steps;
  const [failed, heldOut] = [rewards?.failed ?? 0, rewards?.heldOut ?? 0];
  expect([failed > 0, heldOut > 0]).toEqual([true, true]);

  // Failed users are retried after the sandbox has rewards again.
  await inSandbox({});
  const { runId: again, users } = (await retryFailedUsers({ client: maker, path: run, body: {} })).data;
  expect(users).toBe(failed);
  expect(await muster.api.awaitEnd(again ?? '')).toMatchObject({ state: 'completed', balanced: true });

  // Each user has one effect in each step, except for held-out users. The cost is exact to a hundredth of a cent.
  const ledger = await readLedger(muster.ledgerFile);
  const served = (step: number) => [runId, again ?? ''].flatMap((of) => [...ledger.of(of, step).applied]);
  const held = (await exported(runId, 'held-out')).map((line) => line.split(',')[0] ?? '');
  expect(held).toHaveLength(heldOut);
  const audience = Array.from({ length: inSingapore }, (_, index) => userOf(index + 1));
  const expected = audience.filter((user) => !held.includes(user)).map((user) => [user, 1]);
  for (const step of [1, 2]) expect(served(step).toSorted()).toEqual(expected);
  expect(await exported(runId, 'failures')).toHaveLength(failed);
  expect(await exported(runId, 'users')).toHaveLength(inSingapore - heldOut);
  const { cost } = await muster.api.report(runId);
  expect(cost).toMatchObject({ currency: 'SGD' });
  const spent = (inSingapore - heldOut + tried.users.length) * 1003;
  expect(Number(await cents().then((money) => money?.used)) * 10_000).toBeCloseTo(spent, 6);

  const { broken, next } = (await verifyAudit({ client })).data;
  expect({ broken, next }).toEqual({ broken: null, next: null });
});
