import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approvalShape } from '../../../shared/contracts/campaigns/approvals.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn } from '../../../test/support/approvals-on-api.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { createRunStore } from '../keep/postgres/run-store.ts';
import { feedsByVariant } from './feeds-by-variant.ts';
import { createRunApprovals } from './postgres/run-approvals.ts';

const on = apiOnPostgres();
const { addPeople, approve, setPolicy, write } = approvalsOn(on);

const stateOf = async (runId: string) => {
  const { rows } = await on.pool.query<{ state: string }>('select state from runs where id = $1', [runId]);
  return rows[0]?.state;
};

describe('a running run with variants and an upper bound of users', () => {
  const variants = [
    { name: 'A', weight: 7000, params: {} },
    { name: 'B', weight: 3000, params: {} },
  ];

  const chain = [{ action: 'award-reward', params: {}, variants }];
  beforeEach(async () => {
    await addPeople();
    await setPolicy();
  });

  async function begunRun() {
    const campaign = await write('mei, manager', { countries: ['SG'], chain });
    const campaignId = uuidOf('campaign', campaign.id) ?? '';
    const scheduledFor = new Date(on.deps.clock.nowMs());
    const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor, state: 'preparing' });
    const cleared = (await createRunApprovals({ pool: on.pool }).clear(runId, { SG: 1950 })) ?? expect.fail();
    const audience = segmentAlone({ segment: 'lapsed-riders', snapshot: 's1', estimate: 1950 });
    const whole = { country: 'SG', audience, usersAtMost: cleared.usersAtMost?.['SG'] };
    const definition = campaignDefinitionOf({ chain });
    await createRunStore({ pool: on.pool }).begin(
      runId,
      feedsByVariant(whole, { runId, definition }),
      100,
      cleared.clearedBy,
    );
    return { campaign, runId };
  }

  const limits = async (runId: string) => {
    const { rows } = await on.pool.query<{ most: number }>(
      'select max_users::int as most from feeds where run = $1 order by variant',
      [runId],
    );
    return rows.map(({ most }) => most);
  };

  const feedVariant = (runId: string, variant: number, users: number) =>
    on.pool.query('update feeds set fed_users = $3 where run = $1 and variant = $2', [runId, variant, users]);

  async function goBeyondIn(runId: string, variant: number, more: number): Promise<void> {
    const { rows } = await on.pool.query<{ feed: string }>('select feed from feeds where run = $1 and variant = $2', [
      runId,
      variant,
    ]);
    await createRunApprovals({ pool: on.pool }).goBeyond({ runId, feedId: rows[0]?.feed ?? '', country: 'SG', more });
  }

  it('divides the bound by the weights, and moves room to a variant that needs it, without an approval', async () => {
    const { runId } = await begunRun();
    expect(await limits(runId)).toEqual([1400, 600]);
    await feedVariant(runId, 2, 600);
    await goBeyondIn(runId, 2, 50);
    expect(await limits(runId)).toEqual([1350, 650]);
    await feedVariant(runId, 1, 1350);
    await expect(feedVariant(runId, 2, 651)).rejects.toThrow(/feeds_within_approval/);
    expect(await stateOf(runId)).toBe('running');
    expect(await on.rowsOf('approvals')).toEqual([]);
  });

  it('gives a complete variant no room', async () => {
    const { runId } = await begunRun();
    await on.pool.query('update feeds set fed_users = 1380, complete = true where run = $1 and variant = 1', [runId]);
    await feedVariant(runId, 2, 600);
    await goBeyondIn(runId, 2, 10);
    expect(await limits(runId)).toEqual([1380, 620]);
  });

  it('requests an approval if all variants together have more users, and divides what was approved', async () => {
    const { campaign, runId } = await begunRun();
    await feedVariant(runId, 1, 1400);
    await feedVariant(runId, 2, 600);
    await goBeyondIn(runId, 2, 100);
    expect(await stateOf(runId)).toBe('pausing');
    const answer = await on.ask('GET', `/v1/approvals?runId=${publicId('run', runId)}`);
    const [request] = z.object({ items: z.array(approvalShape) }).parse(answer.json()).items;
    expect(request).toMatchObject({ state: 'waiting', usersAtMost: { SG: 3151 } });
    await approve(campaign.id, request?.hash ?? '');
    const [first = 0, second = 0] = await limits(runId);
    expect(first + second).toBe(3151);
    expect([first, second]).toEqual([1400 + 806, 600 + 345]);
  });
});
