import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  approveCampaign,
  cancelRun,
  createApiKey,
  createCampaign,
  listApprovals,
  listRuns,
  resumeRun,
  setApprovalPolicy,
  startCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import type { Run } from '../../sdk/generated/types.gen.ts';
import { createMusterClient } from '../../sdk/muster.ts';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const pollMs = 50;
const patienceMs = 60_000;

let muster: Installation;
beforeEach(async () => {
  muster = await startInstallation({ workers: 'all-in-one', sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=3000' } });
});
afterEach(() => muster.stop());

async function clientOf(owner: string, role: 'manager' | 'approver') {
  const body = { name: `${owner}, ${role}`, owner, role };
  const { secret } = (await createApiKey({ client: muster.api.client, body })).data;
  const url = muster.cliEnvironment['MUSTER_API_URL'] ?? '';
  return createMusterClient({ url, apiKey: secret, retries: 0 });
}

async function runOf(campaignId: string, isSo: (run: Run) => boolean): Promise<Run> {
  const giveUpMs = Date.now() + patienceMs;
  for (;;) {
    const [run] = (await listRuns({ client: muster.api.client, query: { campaignId } })).data.items;
    if (run && isSo(run)) return run;
    if (Date.now() > giveUpMs) throw new Error(`the run is ${run?.state ?? 'not there'}, and not as it should be`);
    await wait(pollMs);
  }
}

/**
 * Returns a campaign that was scheduled for the next day before a policy existed. The policy applies now, and the
 * campaign is due.
 */
async function dueUnderPolicy(client: ReturnType<typeof createMusterClient>, approvers: number): Promise<string> {
  const schedule = { type: 'at' as const, time: new Date(Date.now() + 86_400_000).toISOString() };
  const audience = { include: [{ segment: 'lapsed-riders' }] };
  const definition = { name: 'Payday top-up', countries: ['SG'], chain: rewardThenMessage, audience, schedule };
  const { id } = (await createCampaign({ client, body: definition })).data;
  await startCampaign({ client, path: { id } });
  await setApprovalPolicy({ client: muster.api.client, body: { rules: [{ usersAbove: 100, approvers }] } });
  const database = new pg.Client(muster.database.url);
  await database.connect();
  await database.query(`update run_starts set due_at = date_trunc('milliseconds', now())`);
  await database.end();
  return id;
}

it('a run scheduled before the policy waits for approval, cannot be resumed without it, and completes after another person approves', async () => {
  const [maker, checker] = [await clientOf('mei', 'manager'), await clientOf('rahayu', 'approver')];
  const id = await dueUnderPolicy(maker, 1);

  const waiting = await runOf(id, ({ state }) => state === 'paused');
  expect(waiting.stateReason).toBe('waits for approval: more than 100 users');
  const path = { id: waiting.runId };
  await expect(resumeRun({ client: maker, path, body: {} })).rejects.toThrow(/approval/);
  expect((await readLedger(muster.ledgerFile)).of(waiting.runId, 1).keys.size).toBe(0);

  const [requested] = (await listApprovals({ client: checker, query: { state: 'waiting' } })).data.items;
  expect(requested).toMatchObject({ runId: waiting.runId, refusedToYou: null });
  const byMaker = await clientOf('Mei', 'approver');
  const body = { hash: requested?.hash ?? '' };
  await expect(approveCampaign({ client: byMaker, path: { id }, body })).rejects.toThrow(/another person approves/);
  await approveCampaign({ client: checker, path: { id }, body });

  const ended = await muster.api.awaitEnd(waiting.runId);
  expect(ended).toMatchObject({ state: 'completed', balanced: true });
  expect(ended.audience.counted).toBeLessThanOrEqual(requested?.usersAtMost['SG'] ?? 0);
});

it('a run that waits for an approval can be cancelled without one', async () => {
  const maker = await clientOf('mei', 'manager');
  const id = await dueUnderPolicy(maker, 2);
  const waiting = await runOf(id, ({ state }) => state === 'paused');
  await cancelRun({ client: maker, path: { id: waiting.runId }, body: {} });
  await runOf(id, ({ state }) => state === 'cancelled');
  expect((await listApprovals({ client: maker, query: { state: 'waiting' } })).data.items).toEqual([]);
});
