import { rm } from 'node:fs/promises';
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createCampaign } from '../../sdk/generated/sdk.gen.ts';
import { issuedApiKey } from '../../shared/contracts/access/api-keys.ts';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { failureCode } from '../../shared/postgres/ledger/ledger-codes.ts';
import { rewardThenMessage, startInstallation, type Installation } from '../e2e/installation.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { createPostgresRunRows } from '../support/postgres-run-rows.ts';
import { answersTo } from './support/answers-to.ts';
import { publishFigures } from './support/figures.ts';
import { startHeavyCaller, type HeavyCaller } from './support/heavy-caller.ts';
import { treeWithout } from './support/tree-without.ts';
import { until } from './support/until.ts';
import { openTestPool } from '../support/test-pool.ts';

const exportedRows = 50_000;
/** Permits a delay of 20 %, and one second for a busy machine. Without slots, answers take up to a minute. */
const undisturbedSeconds = (alone: number) => 1.2 * alone + 1;

describe('row 73: 40 exports, 8 slow uploads and bodies of 1 MiB of one account', () => {
  let muster: Installation;
  let pool: pg.Pool;
  let tree: string | undefined;
  let heavy: HeavyCaller | undefined;
  afterEach(async () => {
    heavy?.end();
    heavy = undefined;
    await pool.end();
    await muster.stop();
    if (tree !== undefined) await rm(tree, { recursive: true });
    tree = undefined;
  });

  async function begin(without?: FaultControl): Promise<void> {
    tree = without && (await treeWithout(without));
    muster = await startInstallation({
      workers: 0,
      countries: ['SG'],
      sandbox: { SANDBOX_SEGMENTS: 'crowd=100' },
      ...(tree !== undefined && { root: tree }),
    });
    pool = openTestPool({ connectionString: muster.database.url, max: 1 });
  }

  const apiUrl = () => muster.cliEnvironment['MUSTER_API_URL'] ?? '';
  const get = (path: string, accept = 'application/json') => muster.api.request(path, { headers: { accept } });

  /** Returns a key of another account. Only keys with a scope share the limits of their creator. */
  async function makeOtherKey(): Promise<string> {
    const body = JSON.stringify({ name: 'another account', role: 'manager' });
    const headers = { 'content-type': 'application/json' };
    const answer = await muster.api.request('/v1/api-keys', { method: 'POST', body, headers });
    return issuedApiKey.parse(await answer.json()).secret;
  }

  /** Adds many failures to a run that has ended. */
  async function addLongList(): Promise<string> {
    const { client } = muster.api;
    const audience = { include: [{ segment: 'crowd' }] };
    const definition = { name: 'exported', countries: ['SG'], audience, chain: rewardThenMessage };
    const { id } = (await createCampaign({ client, body: definition })).data;
    const rows = createPostgresRunRows({ pool });
    const at = new Date();
    const run = { campaignId: uuidOf('campaign', id) ?? '', revision: 1, scheduledFor: at, startedAt: at, endedAt: at };
    const runId = await rows.addRun({ ...run, state: 'completed' });
    const feedId = await rows.addFeed(runId, { country: 'SG', fedUsers: exportedRows, complete: true });
    await pool.query(
      `insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
       select $1, number, 1, 'u' || number, $3, 'blocked', null, 1 from generate_series(1, $2::int) as number`,
      [feedId, exportedRows, failureCode.failed],
    );
    return `/v1/runs/${publicId('run', runId)}/failures`;
  }

  async function connectionsOfUploads(): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = 'muster-api-uploads'`,
    );
    return rows[0]?.count ?? 0;
  }

  const upload = async () => {
    const headers = { 'content-type': 'text/csv' };
    const path = '/v1/audiences/upload?country=SG&name=beside';
    return (await muster.api.request(path, { method: 'POST', body: 'userId\nb1\n', headers })).status;
  };

  it('are refused once their slots are used up, and do not delay requests, uploads and exports of other accounts', async () => {
    await begin();
    const list = await addLongList();
    const user = () => get('/v1/campaigns');
    await answersTo(user, 200);
    const alone = await answersTo(user, 500);
    heavy = await startHeavyCaller(apiUrl(), await makeOtherKey(), list);
    await until('the slow uploads hold their slots', async () => (await connectionsOfUploads()) === 2);
    const beside = await answersTo(user, 500);
    const uploaded = await upload();
    const exported = await get(list, 'text/csv');
    const lines = (await exported.text()).trimEnd().split('\r\n').length;
    const theirs = await heavy.leave();

    publishMeasured('users beside one account with heavy requests', {
      'p99 alone, ms': alone.p99 * 1000,
      'p99 beside, ms': beside.p99 * 1000,
      'exports of the account': theirs['exports']?.['200'] ?? 0,
      'exports refused': theirs['exports']?.['429'] ?? 0,
    });
    expect([uploaded, exported.status, lines]).toEqual([201, 200, exportedRows + 1]);
    expect(theirs['uploads']).toEqual({ 429: 6, 408: 2 });
    expect(Object.keys(theirs['exports'] ?? {})).toEqual(['200', '429']);
    expect(Object.keys(theirs['bodies'] ?? {})).toEqual(['422']);
    expect(theirs['unnamed']).toEqual({});
    expect(beside.statuses).toEqual([200]);
    expect(beside.p99).toBeLessThanOrEqual(undisturbedSeconds(alone.p99));
  });

  it('prevent other accounts from uploading if there are no slots (control)', async () => {
    await begin(faultControls.heavyRequestsHaveSlots);
    heavy = await startHeavyCaller(apiUrl(), await makeOtherKey(), await addLongList());
    await until('the slow uploads hold all connections', async () => (await connectionsOfUploads()) === 4);
    expect(await upload()).toBeGreaterThanOrEqual(500);
  });
});

/** Publishes measurements without a judgement, because this scenario has no run. */
function publishMeasured(scenario: string, measured: Record<string, number>): void {
  const none = { batches: 0, users: 0, lost: 0, doubled: 0, duplicatesSuppressed: 0, unknown: 0, violations: 0 };
  const rates = {
    redeliveriesPer1000: 0,
    recoverySeconds: null,
    usersPerSecond: { before: null, during: null, after: null },
  };
  publishFigures({ rows: '73', scenario, faults: {}, ...none, ...rates, measured });
}
