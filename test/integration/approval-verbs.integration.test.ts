import { beforeEach, describe, expect, it } from 'vitest';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../support/approvals-on-api.ts';
import { createRunApprovals } from '../../services/trigger/prepare/postgres/run-approvals.ts';

const on = apiOnPostgres();
const { addPeople, approve, asks, setPolicy, submit, write } = approvalsOn(on);

beforeEach(async () => {
  await addPeople();
  await setPolicy();
});

const asMaker = (url: string, payload?: object) => asks('mei, manager', 'POST', url, payload);
const asChecker = (url: string, payload?: object) => asks('rahayu, approver', 'POST', url, payload);

/** Brings a campaign into the named state. Returns it with the hash that its approver sees. */
const campaigns: Record<string, () => Promise<{ id: string; hash: string }>> = {
  'never submitted': async () => ({ id: (await write()).id, hash: 'f'.repeat(64) }),
  waiting: async () => {
    const { id } = await write();
    return { id, hash: (await submit(id)).hash };
  },
  approved: async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    await approve(id, hash);
    return { id, hash };
  },
  'sent back': async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    await asChecker(`/campaigns/${id}/send-back`, { comment: 'no hold-out?' });
    return { id, hash };
  },
  withdrawn: async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    await asMaker(`/campaigns/${id}/withdraw`);
    return { id, hash };
  },
  void: async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    await asks('mei, manager', 'PATCH', `/campaigns/${id}`, { priority: 'high' });
    return { id, hash };
  },
  scheduled: async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    await approve(id, hash);
    await asMaker(`/campaigns/${id}/start`);
    return { id, hash };
  },
};

const needed = '409 approval-needed';
const forbidden = '409 state-forbids';

describe('the actions of a campaign', () => {
  it.each([
    // The columns are: submit, approve, send back, withdraw, start, unschedule, change.
    ['never submitted', ['200', forbidden, forbidden, forbidden, needed, '200', '200']],
    ['waiting', ['200', '200', '200', '200', needed, '200', '200']],
    ['approved', ['200', '200', '200', '200', '200', '200', '200']],
    ['sent back', ['200', forbidden, '200', forbidden, needed, '200', '200']],
    ['withdrawn', ['200', forbidden, forbidden, '200', needed, '200', '200']],
    ['void', ['200', forbidden, forbidden, forbidden, needed, '200', '200']],
    ['scheduled', ['200', '200', '200', '200', '200', '200', forbidden]],
  ])('have the expected HTTP statuses if its approval is %s', async (standing, verdicts) => {
    const verbs = [
      (id: string) => asMaker(`/campaigns/${id}/submit`),
      (id: string, hash: string) => asChecker(`/campaigns/${id}/approve`, { hash }),
      (id: string) => asChecker(`/campaigns/${id}/send-back`, { comment: 'no hold-out?' }),
      (id: string) => asMaker(`/campaigns/${id}/withdraw`),
      (id: string) => asMaker(`/campaigns/${id}/start`),
      (id: string) => asMaker(`/campaigns/${id}/unschedule`),
      (id: string) => asks('mei, manager', 'PATCH', `/campaigns/${id}`, { priority: 'low' }),
    ];
    const reported = [];
    for (const verb of verbs) {
      const { id, hash } = (await campaigns[standing]?.()) ?? expect.fail();
      reported.push(verdictOf(await verb(id, hash)));
    }
    expect(reported).toEqual(verdicts);
  });
});

/** Creates a run of an approved campaign whose number of users has grown, in this state. */
async function waitingRun(state: 'preparing' | 'running'): Promise<{ id: string; runId: string; hash: string }> {
  const { id } = (await campaigns['approved']?.()) ?? expect.fail();
  const at = new Date(on.deps.clock.nowMs());
  const run = { campaignId: uuidOf('campaign', id) ?? '', revision: 1, scheduledFor: at, state } as const;
  const uuid = await on.deps.rows.addRun({ ...run, ...(state === 'running' && { startedAt: at }) });
  await createRunApprovals({ pool: on.pool }).clear(uuid, { SG: 2500, ID: 0, VN: 0 });
  const runId = publicId('run', uuid);
  const { items } = (await on.ask('GET', `/v1/approvals?runId=${runId}`)).json<{ items: { hash: string }[] }>();
  return { id, runId, hash: items[0]?.hash ?? expect.fail('the run has asked for nothing') };
}

type Waiting = Awaited<ReturnType<typeof waitingRun>>;

const runs: Record<string, () => Promise<Waiting>> = {
  'waiting before the start': () => waitingRun('preparing'),
  'waiting during the run': () => waitingRun('running'),
  'approved before the start': async () => {
    const waiting = await waitingRun('preparing');
    await approve(waiting.id, waiting.hash);
    return waiting;
  },
  'approved during the run': async () => {
    const waiting = await waitingRun('running');
    await approve(waiting.id, waiting.hash);
    return waiting;
  },
  'sent back': async () => {
    const waiting = await waitingRun('running');
    await asChecker(`/campaigns/${waiting.id}/send-back`, { hash: waiting.hash, comment: 'too many' });
    return waiting;
  },
  cancelled: async () => {
    const waiting = await waitingRun('preparing');
    await asMaker(`/runs/${waiting.runId}/cancel`);
    return waiting;
  },
};

describe('the actions of a run that needs an approval', () => {
  it.each([
    // The columns are: pause, resume, cancel, change, retry, approve, send back.
    ['waiting before the start', ['200', needed, '200', '200', '409 run-not-ended', '200', '200']],
    ['waiting during the run', ['200', needed, '200', '200', '409 run-not-ended', '200', '200']],
    ['approved before the start', ['200', '200', '200', '200', '409 run-not-ended', '200', '200']],
    ['approved during the run', ['200', '200', '200', '200', '409 run-not-ended', '200', '200']],
    ['sent back', ['200', '200', '200', '200', '409 run-not-ended', forbidden, '200']],
    ['cancelled', [forbidden, forbidden, '200', forbidden, '409 nothing-to-retry', forbidden, forbidden]],
  ])('have the expected HTTP statuses if the approval is %s', async (standing, verdicts) => {
    const verbs = [
      ({ runId }: Waiting) => asMaker(`/runs/${runId}/pause`),
      ({ runId }: Waiting) => asMaker(`/runs/${runId}/resume`),
      ({ runId }: Waiting) => asMaker(`/runs/${runId}/cancel`),
      ({ runId }: Waiting) => asks('mei, manager', 'PATCH', `/runs/${runId}`, { paceUsersPerSecond: 5 }),
      ({ runId }: Waiting) => asMaker(`/runs/${runId}/retry-failed`),
      ({ id, hash }: Waiting) => asChecker(`/campaigns/${id}/approve`, { hash }),
      ({ id, hash }: Waiting) => asChecker(`/campaigns/${id}/send-back`, { hash, comment: 'too many' }),
    ];
    const report = [];
    for (const verb of verbs) report.push(verdictOf(await verb((await runs[standing]?.()) ?? expect.fail())));
    expect(report).toEqual(verdicts);
  });
});
