import { beforeEach, describe, expect, it } from 'vitest';
import { runReport } from '../../shared/contracts/runs/runs.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { createFeedContexts } from '../../services/worker/claims/postgres/feed-contexts.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../support/approvals-on-api.ts';
import { testedUsers as users, testSendsOn } from '../support/test-sends-on-api.ts';

const on = apiOnPostgres({ quotas: { openRuns: 3 } });
const approvals = approvalsOn(on);
const { addPeople, setPolicy, write } = approvals;
const { send, sent } = testSendsOn(on, approvals);

const variants = [
  { name: 'short', weight: 5000, params: { text: 'short' } },
  { name: 'long', weight: 5000, params: { text: 'long' } },
];
const chain = [{ action: 'send-message', params: { text: 'usual' }, variants }];

beforeEach(addPeople);

describe('a test send of a campaign with variants', () => {
  it('calls each user once for each variant, in a run for each', async () => {
    const { id } = await write('mei, manager', { chain });
    const preview = (await send(id, { preview: true })).json<object>();
    expect(preview).toMatchObject({
      users: 4,
      variants: [
        { name: 'short', runId: null },
        { name: 'long', runId: null },
      ],
    });
    const { run, variants: begun, summary } = await sent(id);
    expect(summary).toContain('Each user is called once for each variant: “short”, “long”.');
    expect(begun.map(({ name }) => name)).toEqual(['short', 'long']);
    expect(begun[0]?.runId).toBe(run?.runId);
    for (const { name, runId } of begun) {
      const report = runReport.parse((await on.ask('GET', `/v1/runs/${runId}/report`)).json());
      expect(report.variants.map((variant) => [variant.name, variant.weight])).toEqual([[name, 5000]]);
      const { rows } = await on.pool.query<{ feed: string; users: number }>(
        `select f.feed, count(*)::int as users from feeds f join explicit_users using (feed) where f.run = $1
         group by f.feed`,
        [uuidOf('run', runId ?? '')],
      );
      expect(rows.map((row) => row.users)).toEqual([4]);
      const [context] = await createFeedContexts({ pool: on.pool }).load(rows.map(({ feed }) => feed));
      expect(context?.chain).toEqual([{ action: 'send-message', params: { text: name } }]);
    }
  });

  it('is sent once under one Idempotency-Key, with the same runs in each answer', async () => {
    const { id } = await write('mei, manager', { chain });
    const headers = { ...authorized, 'idempotency-key': 'a-test' };
    const payload = { kind: 'test', users, country: 'SG' };
    const again = () => on.api.server.inject({ method: 'POST', url: `/v1/campaigns/${id}/trials`, headers, payload });
    const [first, second] = [await again(), await again()];
    expect(second.json()).toEqual(first.json());
    expect(await on.rowsOf('runs')).toHaveLength(2);
  });

  it('needs room for all of its runs in the quota of its team', async () => {
    const { id } = await write('mei, manager', { chain });
    await sent(id);
    expect(verdictOf(await send(id, { again: true }))).toMatch(/^429|^409|^403/);
    expect(await on.rowsOf('runs')).toHaveLength(2);
  });

  it('counts each user once for each variant under the approval policy', async () => {
    await setPolicy({ rules: [{ usersAbove: 7, approvers: 1 }] });
    const { id } = await write('mei, manager', { chain });
    expect(verdictOf(await send(id))).toBe('409 approval-needed');
    expect(await on.rowsOf('runs')).toEqual([]);
    await setPolicy({ rules: [{ usersAbove: 8, approvers: 1 }] });
    await sent(id);
    const { rows } = await on.pool.query<{ users: number }>('select sum(users)::int as users from unapproved_starts');
    expect(rows).toEqual([{ users: 8 }]);
  });
});
