import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { runComparison } from '../../../shared/contracts/runs/comparisons.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import type { RunSeed } from '../../../test/support/conformance/run-rows.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const minuteMs = 60_000;
const firstAt = new Date('2026-10-23T01:00:00Z');

let campaignId: string;

beforeEach(async () => {
  ({ campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign)));
});

/** Creates a run on the given day, which began at its planned time and took the given number of minutes. */
async function runOfDay(day: number, minutes: number, changes: Partial<RunSeed> = {}) {
  const scheduledFor = new Date(firstAt.getTime() + day * 86_400_000);
  const endedAt = new Date(scheduledFor.getTime() + minutes * minuteMs);
  const times = { scheduledFor, startedAt: scheduledFor, endedAt };
  const runId = await on.deps.rows.addRun({
    campaignId,
    revision: 1,
    state: 'completed_with_failures',
    ...times,
    ...changes,
  });
  return { runId, id: publicId('run', runId) };
}

async function feedOf(runId: string, users: number, through: number, failed: number) {
  const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: users, complete: true });
  await on.deps.rows.addTotals(feedId, 0, { step: 1, succeeded: users - failed, failed });
  await on.deps.rows.addTotals(feedId, 0, { step: 2, succeeded: through, expired: users - failed - through });
}

async function get(id: string, beside?: string) {
  const query = beside === undefined ? '' : `?with=${beside}`;
  const url = `/v1/runs/${id}/comparison${query}`;
  return on.api.server.inject({ method: 'GET', url, headers: authorized });
}

const comparisonOf = async (id: string, beside?: string) => runComparison.parse((await get(id, beside)).json());

describe('a run of a recurring campaign', () => {
  it('is compared with the previous run', async () => {
    const [first, second, third] = [await runOfDay(0, 112), await runOfDay(1, 98), await runOfDay(2, 90)];
    await feedOf(first.runId, 1000, 900, 60);
    await feedOf(second.runId, 1200, 1150, 40);
    const { run, before, others } = await comparisonOf(second.id);
    const none = { unknown: 0, suppressed: 0, cancelled: 0, recovered: 0, revision: 1 };
    const campaign = { campaignId: publicId('campaign', campaignId), campaignName: someCampaign.name };
    expect(run).toEqual({
      runId: second.id,
      scheduledFor: '2026-10-24T01:00:00.000Z',
      state: 'completed_with_failures',
      ...none,
      audience: 1200,
      through: 1150,
      failed: 40,
      expired: 10,
      tookMs: 98 * minuteMs,
      ...campaign,
      chain: someCampaign.chain.map(({ action }) => action),
    });
    expect(before).toMatchObject({ runId: first.id, audience: 1000, through: 900, failed: 60, tookMs: 112 * minuteMs });
    expect(others.map(({ runId }) => runId)).toEqual([first.id, third.id]);
  });

  it('is compared with any other run if the request names one', async () => {
    const runs = [await runOfDay(0, 1), await runOfDay(1, 1), await runOfDay(2, 1)];
    const [first, second, third] = runs.map(({ id }) => id);
    expect((await comparisonOf(third ?? '', first)).before?.runId).toBe(first);
    expect((await comparisonOf(first ?? '', second)).before?.runId).toBe(second);
  });

  it('is not compared if it is the first run', async () => {
    const { id } = await runOfDay(0, 10);
    await runOfDay(1, 10);
    expect((await comparisonOf(id)).before).toBeNull();
  });

  it('is compared while it is active, but without a duration', async () => {
    const first = await runOfDay(0, 10);
    const scheduledFor = new Date(firstAt.getTime() + 86_400_000);
    const seed = { campaignId, revision: 1, state: 'running', scheduledFor, startedAt: scheduledFor } as const;
    const runId = await on.deps.rows.addRun(seed);
    const { run, before } = await comparisonOf(publicId('run', runId));
    expect(run.tookMs).toBeNull();
    expect(before?.runId).toBe(first.id);
  });
});

describe('a run whose failed users were called again in a retry', () => {
  async function retried() {
    const first = await runOfDay(0, 60);
    await feedOf(first.runId, 1000, 900, 100);
    const child = await runOfDay(1, 5, { parentId: first.runId });
    await feedOf(child.runId, 100, 70, 30);
    const second = await runOfDay(2, 50);
    await feedOf(second.runId, 1000, 950, 50);
    return { first, child, second };
  }

  it('is compared with the next run, counting the users who succeeded in the retry', async () => {
    const { first, second } = await retried();
    const { before, others } = await comparisonOf(second.id);
    expect(before).toMatchObject({ runId: first.id, audience: 1000, failed: 100, recovered: 70 });
    expect(others.map(({ runId }) => runId)).toEqual([first.id]);
  });

  it('is compared with its child run', async () => {
    const { first, child } = await retried();
    expect(await comparisonOf(child.id)).toMatchObject({
      run: { audience: 100, through: 70, failed: 30 },
      before: { runId: first.id },
    });
  });
});

describe('a comparison', () => {
  it('may be with a run of another campaign, and includes the steps of both', async () => {
    const { id } = await runOfDay(1, 10);
    const [first] = someCampaign.chain;
    const definition = campaignDefinition.parse({ ...someCampaign, name: 'Points of old', chain: [first] });
    const other = await on.deps.campaigns.create(definition);
    const foreign = await runOfDay(0, 10, { campaignId: other.campaignId });
    const { before, others } = await comparisonOf(id, foreign.id);
    const campaign = { campaignId: publicId('campaign', other.campaignId), campaignName: 'Points of old' };
    expect(before).toMatchObject({ runId: foreign.id, ...campaign, chain: [first?.action] });
    expect(others).toEqual([]);
  });

  it('is refused with itself, and with an active, test or unknown run', async () => {
    const { id } = await runOfDay(1, 10);
    const going = await on.deps.rows.addRun({ campaignId, revision: 1, state: 'running', scheduledFor: firstAt });
    const tried = await runOfDay(2, 10, { kind: 'test' });
    const absent = 'run_01jdyjm7sbfx2v4x0000000000';
    for (const beside of [id, publicId('run', going), tried.id, absent, 'run_1']) {
      const response = await get(id, beside);
      expect(response.statusCode).toBe(422);
      const [error] = problem.parse(response.json()).errors;
      expect(error?.pointer).toBe('/with');
      expect(error?.detail).toContain(beside);
    }
  });

  it('is not found for an unknown run', async () => {
    expect((await get('run_01jdyjm7sbfx2v4x0000000000')).statusCode).toBe(404);
  });
});
