import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approvalShape } from '../../../shared/contracts/campaigns/approvals.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../test/support/approvals-on-api.ts';
import { createFeedStore } from '../feed/postgres/feed-store.ts';
import { createRunStore } from '../keep/postgres/run-store.ts';
import { createRunApprovals } from './postgres/run-approvals.ts';
import { notJudged, type ClearedRun } from '../ports/run-approvals.ts';

const on = apiOnPostgres();
const { addPeople, approve, asks, setPolicy, submit, write } = approvalsOn(on);
const stores = () => ({
  runs: createRunStore({ pool: on.pool }),
  feeds: createFeedStore({ pool: on.pool }),
  approvals: createRunApprovals({ pool: on.pool }),
});

beforeEach(addPeople);

/** Creates a run of a campaign in SG as the scheduler does, without the checks of the API at its start. */
async function madeRun({ id, revision = 1 }: { id: string; revision?: number }, parentId?: string): Promise<string> {
  const campaignId = uuidOf('campaign', id) ?? '';
  const scheduledFor = new Date(on.deps.clock.nowMs() + made++);
  return on.deps.rows.addRun({ campaignId, revision, scheduledFor, state: 'preparing', ...(parentId && { parentId }) });
}
let made = 0;

const writeForSingapore = (changes: object = {}) => write('mei, manager', { countries: ['SG'], ...changes });

function begin(runId: string, { clearedBy, usersAtMost }: ClearedRun): Promise<boolean> {
  const audience = segmentAlone({ segment: 'lapsed-riders', snapshot: 's1', estimate: 1000 });
  return stores().runs.begin(runId, [{ country: 'SG', audience, usersAtMost: usersAtMost?.['SG'] }], 100, clearedBy);
}

const stateOf = async (runId: string) => {
  const { rows } = await on.pool.query<{ state: string; reason: string | null }>(
    'select state, state_reason as reason from runs where id = $1',
    [runId],
  );
  return rows[0];
};

const requests = async (runId: string) => {
  const answer = await on.ask('GET', `/v1/approvals?runId=${publicId('run', runId)}`);
  return z.object({ items: z.array(approvalShape) }).parse(answer.json()).items;
};

async function feed(runId: string, from: number, count: number): Promise<boolean> {
  const [owned] = await stores().feeds.claim(`trigger-${from}`, 1000, 10, 'all');
  if (owned?.runId !== runId) throw new Error('the feed could not be claimed');
  const { feedId, token, nextBatchNo } = owned;
  const users = Array.from({ length: count }, (_, index) => `u${String(from + index).padStart(6, '0')}`);
  const batches = [{ batchNo: nextBatchNo, users }];
  const page = { batches, invalidUsers: [], cursor: users.at(-1) ?? null, complete: false, staysStalled: false };
  try {
    return await stores().feeds.writePages({ feedId, token, ...page });
  } finally {
    await stores().feeds.release(`trigger-${from}`, [owned]);
  }
}

/** Requests room for more users of a feed of the run in SG. @param place of the feed among those of the run */
async function goBeyond(runId: string, more: number, place = 0): Promise<void> {
  const { rows } = await on.pool.query<{ feed: string }>('select feed from feeds where run = $1 order by feed', [
    runId,
  ]);
  await stores().approvals.goBeyond({ runId, feedId: rows[place]?.feed ?? '', country: 'SG', more });
}

describe('a run without an approval policy', () => {
  it('begins without a check, and its feeds have no upper bound', async () => {
    const runId = await madeRun(await writeForSingapore());
    expect(await stores().runs.toPrepare(10, [])).toMatchObject([{ runId, isJudged: false }]);
    expect(await begin(runId, notJudged)).toBe(true);
    expect(await on.rowsOf('feeds')).toMatchObject([{ max_users: null }]);
  });
});

describe('a run with an approval policy', () => {
  beforeEach(() => setPolicy());

  it('does not begin if it was not checked by the current policy', async () => {
    const runId = await madeRun(await writeForSingapore());
    expect(await stores().runs.toPrepare(10, [])).toMatchObject([{ runId, isJudged: true }]);
    expect(await begin(runId, notJudged)).toBe(false);
    const cleared = await stores().approvals.clear(runId, { SG: 1000 });
    await setPolicy();
    expect(await begin(runId, cleared ?? expect.fail('it was not cleared'))).toBe(false);
    expect(await stateOf(runId)).toMatchObject({ state: 'preparing' });
  });

  it('begins with slightly more room than estimated users if it is small, and its feed accepts no more', async () => {
    const runId = await madeRun(await writeForSingapore());
    const cleared = await stores().approvals.clear(runId, { SG: 1000 });
    expect(cleared).toMatchObject({ usersAtMost: { SG: 1050 }, clearedBy: { policy: 1, approvalId: null } });
    expect(await begin(runId, cleared ?? expect.fail())).toBe(true);
    expect(await feed(runId, 0, 1050)).toBe(true);
    await expect(feed(runId, 1050, 1)).rejects.toThrow(/feeds_within_approval/);
    expect(await on.rowsOf('feeds')).toMatchObject([{ fed_users: '1050', next_batch_no: 2 }]);
  });

  it('waits for an approval before any call if it is large, and begins after it', async () => {
    const campaign = await writeForSingapore();
    const runId = await madeRun(campaign);
    expect(await stores().approvals.clear(runId, { SG: 3000 })).toBeNull();
    expect(await stateOf(runId)).toEqual({ state: 'paused', reason: 'waits for approval: more than 2,000 users' });
    expect(await stores().runs.toPrepare(10, [])).toEqual([]);
    const [requested] = await requests(runId);
    expect(requested).toMatchObject({
      state: 'waiting',
      usersAtMost: { SG: 3150 },
      requiredApprovers: 1,
      submittedBy: null,
    });

    const resume = await asks('mei, manager', 'POST', `/runs/${publicId('run', runId)}/resume`);
    expect(verdictOf(resume)).toBe('409 approval-needed');
    expect(
      verdictOf(await asks('mei, approver', 'POST', `/campaigns/${campaign.id}/approve`, { hash: requested?.hash })),
    ).toBe('403 author-approves-not');
    await approve(campaign.id, requested?.hash ?? '');
    expect(await stateOf(runId)).toEqual({ state: 'preparing', reason: null });
    const cleared = await stores().approvals.clear(runId, { SG: 3000 });
    expect(cleared).toMatchObject({ usersAtMost: { SG: 3150 } });
    expect(await begin(runId, cleared ?? expect.fail())).toBe(true);
  });

  it('does not begin if its approval is sent back in the meantime', async () => {
    const campaign = await writeForSingapore();
    const { hash } = await submit(campaign.id, { usersAtMost: { SG: 3000 } });
    await approve(campaign.id, hash);
    const runId = await madeRun(campaign);
    const cleared = await stores().approvals.clear(runId, { SG: 2500 });
    expect(cleared?.clearedBy.approvalId).not.toBeNull();
    await asks('rahayu, approver', 'POST', `/campaigns/${campaign.id}/send-back`, { comment: 'not yet' });
    expect(await begin(runId, cleared ?? expect.fail())).toBe(false);
    expect(await stores().approvals.clear(runId, { SG: 2500 })).toBeNull();
    expect(await stateOf(runId)).toMatchObject({ state: 'paused' });
  });

  it('creates one approval request although it is checked again', async () => {
    const runId = await madeRun(await writeForSingapore());
    await stores().approvals.clear(runId, { SG: 3000 });
    await on.pool.query(`update runs set state = 'preparing' where id = $1`, [runId]);
    expect(await stores().approvals.clear(runId, { SG: 3000 })).toBeNull();
    expect(await requests(runId)).toHaveLength(1);
    await on.pool.query(`update runs set state = 'preparing' where id = $1`, [runId]);
    expect(await stores().approvals.clear(runId, { SG: 5000 })).toBeNull();
    expect((await requests(runId)).map(({ state, requiredApprovers }) => `${state} ${requiredApprovers}`)).toEqual([
      'waiting 2',
      'void 1',
    ]);
  });

  it('can be paused and cancelled while it waits for approval', async () => {
    const runId = await madeRun(await writeForSingapore());
    await stores().approvals.clear(runId, { SG: 3000 });
    const ask = async (verb: string) =>
      verdictOf(await asks('mei, manager', 'POST', `/runs/${publicId('run', runId)}/${verb}`));
    expect([await ask('pause'), await ask('cancel'), await ask('cancel')]).toEqual(['200', '200', '200']);
    expect(await stateOf(runId)).toMatchObject({ state: 'cancelled' });
    expect(await requests(runId)).toMatchObject([{ state: 'void' }]);
  });

  describe('a running run with an upper bound of users', () => {
    async function begunRun() {
      const campaign = await writeForSingapore();
      const runId = await madeRun(campaign);
      await begin(runId, (await stores().approvals.clear(runId, { SG: 1950 })) ?? expect.fail());
      await feed(runId, 0, 2000);
      return { campaign, runId };
    }

    it('requests approval for 50 % more users, and continues after the approval', async () => {
      const { campaign, runId } = await begunRun();
      await goBeyond(runId, 100);
      expect(await stateOf(runId)).toEqual({ state: 'pausing', reason: 'waits for approval: more than 2,000 users' });
      const [request] = await requests(runId);
      expect(request).toMatchObject({ state: 'waiting', usersAtMost: { SG: 3151 } });
      await approve(campaign.id, request?.hash ?? '');
      expect(await stateOf(runId)).toEqual({ state: 'running', reason: null });
      expect(await feed(runId, 2000, 1000)).toBe(true);
      await expect(feed(runId, 3000, 152)).rejects.toThrow(/feeds_within_approval/);
    });

    it('continues at once if the changed policy allows more users', async () => {
      const { runId } = await begunRun();
      await setPolicy({ rules: [{ usersAbove: 4000, approvers: 1 }] });
      await goBeyond(runId, 100);
      expect(await stateOf(runId)).toMatchObject({ state: 'running' });
      // The approval allows half as many users again as were fed, and no user more.
      expect(await feed(runId, 2000, 1151)).toBe(true);
      await expect(feed(runId, 3151, 1)).rejects.toThrow(/feeds_within_approval/);
      await setPolicy({ rules: [] });
      await goBeyond(runId, 100);
      expect(await feed(runId, 3151, 9000)).toBe(true);
    });

    it('stays within its approval after its request for more users was sent back', async () => {
      const { campaign, runId } = await begunRun();
      await goBeyond(runId, 100);
      await approve(campaign.id, (await requests(runId))[0]?.hash ?? '');
      await feed(runId, 2000, 1000);
      await setPolicy({ rules: [] });
      await goBeyond(runId, 2000);
      const [queried] = await requests(runId);
      expect(queried).toMatchObject({ state: 'waiting', requiredApprovers: 1, reasons: ['more than was approved'] });
      await asks('rahayu, approver', 'POST', `/campaigns/${campaign.id}/send-back`, {
        hash: queried?.hash,
        comment: 'no',
      });
      await on.pool.query(`update runs set state = 'running', state_reason = null where id = $1`, [runId]);
      await goBeyond(runId, 2000);
      expect(await stateOf(runId)).toMatchObject({ state: 'pausing' });
    });

    it('stays paused after an approval if a person has paused it', async () => {
      const { campaign, runId } = await begunRun();
      await asks('mei, manager', 'POST', `/runs/${publicId('run', runId)}/pause`, { reason: 'rewards are down' });
      await goBeyond(runId, 100);
      expect(await stateOf(runId)).toEqual({ state: 'pausing', reason: 'paused by mei, manager: rewards are down' });
      expect(await requests(runId)).toEqual([]);
      expect(campaign.state).toBe('draft');
    });
  });

  it('continues only after it is resumed if a person paused it before its approval', async () => {
    const campaign = await writeForSingapore();
    const runId = await madeRun(campaign);
    await stores().approvals.clear(runId, { SG: 3000 });
    const ask = async (verb: string) =>
      verdictOf(await asks('mei, manager', 'POST', `/runs/${publicId('run', runId)}/${verb}`));
    expect([await ask('pause'), await ask('pause')]).toEqual(['200', '200']);
    const [requested] = await requests(runId);
    await approve(campaign.id, requested?.hash ?? '');
    expect(await stateOf(runId)).toEqual({ state: 'paused', reason: 'paused by mei, manager' });
    expect(await ask('resume')).toBe('200');
    expect(await stateOf(runId)).toEqual({ state: 'preparing', reason: null });
  });

  describe('a recurring campaign with an approval policy', () => {
    const schedule = { type: 'recurring', cron: '0 9 * * *', zone: 'UTC' };

    async function started() {
      const campaign = await writeForSingapore({ schedule });
      await approve(campaign.id, (await submit(campaign.id, { usersAtMost: { SG: 3000 } })).hash);
      const answer = await asks('mei, manager', 'POST', `/campaigns/${campaign.id}/start`);
      expect(verdictOf(answer)).toBe('200');
      return campaign;
    }

    it('needs one approval for all its runs, and a further one for a run with more users', async () => {
      const campaign = await started();
      for (let run = 0; run < 3; run++) {
        const runId = await madeRun(campaign);
        const cleared = await stores().approvals.clear(runId, { SG: 3000 });
        expect(await begin(runId, cleared ?? expect.fail())).toBe(true);
      }
      const larger = await madeRun(campaign);
      expect(await stores().approvals.clear(larger, { SG: 3001 })).toBeNull();
      const [requested] = await requests(larger);
      await approve(campaign.id, requested?.hash ?? '');
      expect(await stores().approvals.clear(larger, { SG: 3001 })).toMatchObject({ usersAtMost: { SG: 3152 } });
      // The approval was for that run only.
      expect(await stores().approvals.clear(await madeRun(campaign), { SG: 3001 })).toBeNull();
    });

    it('stays within its approval after its author submitted it again or withdrew it', async () => {
      const campaign = await started();
      await setPolicy({ rules: [] });
      expect(await stores().approvals.clear(await madeRun(campaign), { SG: 3001 })).toBeNull();
      await submit(campaign.id, { usersAtMost: { SG: 9000 } });
      expect(await stores().approvals.clear(await madeRun(campaign), { SG: 3001 })).toBeNull();
      await asks('mei, manager', 'POST', `/campaigns/${campaign.id}/withdraw`);
      expect(await stores().approvals.clear(await madeRun(campaign), { SG: 3001 })).toBeNull();
      const fewer = await stores().approvals.clear(await madeRun(campaign), { SG: 2999 });
      expect(fewer).toMatchObject({ usersAtMost: { SG: 3000 }, clearedBy: { approvalId: null } });
    });

    it('needs an approval for a run that a person fires beside the schedule', async () => {
      const campaign = await started();
      const [row] = await on.rowsOf('schedules');
      const runId = await madeRun(campaign);
      await on.pool.query(
        `insert into occurrences (schedule, scheduled_for, kind, state, open, target, due_at, region, owner)
         select $1, scheduled_for, 'manual', 'fired', true, $2, scheduled_for, 'r', 'o' from runs where id = $3`,
        [row?.['id'], uuidv7(), runId],
      );
      expect(await stores().approvals.clear(runId, { SG: 3000 })).toBeNull();
      expect(await requests(runId)).toMatchObject([{ state: 'waiting', usersAtMost: { SG: 3150 } }]);
    });

    it('needs an approval for its next run if the policy is newer than its start', async () => {
      await setPolicy({ rules: [] });
      const campaign = await writeForSingapore({ schedule });
      await asks('mei, manager', 'POST', `/campaigns/${campaign.id}/start`);
      await setPolicy();
      expect(await stores().approvals.clear(await madeRun(campaign), { SG: 3000 })).toBeNull();
    });
  });

  describe('a retry of failed users with an approval policy', () => {
    async function failedRun(users: number) {
      await setPolicy({ rules: [{ usersAbove: 2, approvers: 1 }] });
      const campaign = await writeForSingapore();
      const campaignId = uuidOf('campaign', campaign.id) ?? '';
      const at = new Date(on.deps.clock.nowMs());
      const run = { campaignId, revision: 1, scheduledFor: at, startedAt: at, endedAt: at } as const;
      const of = await on.deps.rows.addRun({ ...run, state: 'completed_with_failures' });
      const feedId = await on.deps.rows.addFeed(of, { country: 'SG', fedUsers: users, complete: true });
      for (let user = 0; user < users; user++) await on.deps.rows.addFailure(feedId, { user: `u${user}`, batchNo: 1 });
      const answer = await asks('mei, manager', 'POST', `/runs/${publicId('run', of)}/retry-failed`);
      expect(verdictOf(answer)).toBe('201');
      const { runId } = z.object({ runId: z.string() }).parse(answer.json());
      return { campaign, runId: uuidOf('run', runId) ?? '' };
    }

    it('waits for approval if it has more users than the policy allows, and begins after it', async () => {
      const { campaign, runId } = await failedRun(3);
      expect(await stores().runs.beginRetry(runId)).toBeNull();
      expect(await stores().approvals.clearRetry(runId)).toBeNull();
      expect(await stateOf(runId)).toMatchObject({ state: 'paused', reason: 'waits for approval: more than 2 users' });
      const [requested] = await requests(runId);
      await approve(campaign.id, requested?.hash ?? '');
      const cleared = await stores().approvals.clearRetry(runId);
      expect(await stores().runs.beginRetry(runId, cleared ?? expect.fail())).toBe(3);
      const feeds = await on.rowsOf('feeds');
      expect(feeds.filter(({ run }) => run === runId)).toMatchObject([{ max_users: '4' }]);
    });

    it('begins without approval if it has few users', async () => {
      const { runId } = await failedRun(2);
      const cleared = await stores().approvals.clearRetry(runId);
      expect(await stores().runs.beginRetry(runId, cleared ?? expect.fail())).toBe(2);
    });
  });
});
