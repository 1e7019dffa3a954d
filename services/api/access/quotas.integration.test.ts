import { describe, expect, it } from 'vitest';
import { issuedApiKey } from '../../../shared/contracts/access/api-keys.ts';
import { quotaList } from '../../../shared/contracts/access/quotas.ts';
import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { claimOne, doneOf, failed, record, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createQuotaWatch } from './quota-watch.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres({
  quotas: { streams: 2, openRuns: 2, campaignChanges: 3, lists: 2, listBytes: 20, allListBytes: 30 },
});

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

function askAs(secret: string | undefined, method: Method, url: string, payload?: object) {
  const headers = secret === undefined ? authorized : { authorization: `Bearer ${secret}` };
  return on.api.server.inject({ method, url, headers, ...(payload && { payload }) });
}

async function makeKey(body: object, by?: string): Promise<{ id: string; secret: string }> {
  const { key, secret } = issuedApiKey.parse((await askAs(by, 'POST', '/v1/api-keys', body)).json());
  return { id: key.id, secret };
}

const sg = { clients: null, countries: ['SG'], actionTypes: null };
const inSg = { ...someCampaign, countries: ['SG'] };
/** Of a team, for which it makes others. */
const makeLead = () => makeKey({ name: 'lead', role: 'operator', scope: sg });
const makeManager = (by?: string) => makeKey({ name: 'manager', role: 'manager', scope: sg }, by);

const createAs = (secret: string) => askAs(secret, 'POST', '/v1/campaigns', inSg);
const idOf = (answer: { json: () => unknown }) => (answer.json() as { id: string }).id;

function upload(secret: string, payload: string, headers: Record<string, string> = {}) {
  const all = { authorization: `Bearer ${secret}`, 'content-type': 'text/csv', ...headers };
  return on.api.server.inject({ method: 'POST', url: '/v1/audiences?name=x&country=SG', headers: all, payload });
}

async function refusedBy(answer: Promise<{ statusCode: number; json: () => unknown }>) {
  const { statusCode, json } = await answer;
  const { code, detail } = problem.parse(json());
  return { statusCode, code, variable: /\(([A-Z_]+)\)/.exec(detail)?.[1], figure: Number(/\d+/.exec(detail)?.[0]) };
}

async function usedBy(secret: string): Promise<Record<string, number>> {
  const { items } = quotaList.parse((await askAs(secret, 'GET', '/v1/quotas')).json());
  return Object.fromEntries(items.map(({ name, used }) => [name, used]));
}

describe('changes of campaigns', () => {
  it('are refused beyond so many in a day, by whichever key of the account, and not for others', async () => {
    const lead = await makeLead();
    const first = await makeManager(lead.secret);
    const draft = await createAs(first.secret);
    expect(draft.statusCode).toBe(201);
    expect((await createAs(first.secret)).statusCode).toBe(201);
    // A key more is no more room.
    const second = await makeManager(lead.secret);
    expect((await createAs(second.secret)).statusCode).toBe(201);
    const refused = { statusCode: 429, code: 'quota-exceeded', variable: 'QUOTA_CAMPAIGN_CHANGES', figure: 3 };
    for (const { secret } of [lead, first, second]) expect(await refusedBy(createAs(secret))).toEqual(refused);
    const changed = askAs(first.secret, 'PATCH', `/v1/campaigns/${idOf(draft)}`, { name: 'renamed' });
    expect(await refusedBy(changed)).toEqual(refused);

    const other = await makeManager();
    expect((await createAs(other.secret)).statusCode).toBe(201);
    await on.passTime(86_400_001);
    expect((await createAs(second.secret)).statusCode).toBe(201);
  });

  it('count with what is written at the same moment', async () => {
    const { secret } = await makeManager();
    const answers = await Promise.all(Array.from({ length: 8 }, () => createAs(secret)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
  });

  it('are found again by a repeat, and do not count twice', async () => {
    const { secret } = await makeManager();
    const create = () =>
      on.api.server.inject({
        method: 'POST',
        url: '/v1/campaigns',
        headers: { authorization: `Bearer ${secret}`, 'idempotency-key': 'k' },
        payload: inSg,
      });
    for (let time = 0; time < 5; time++) expect((await create()).statusCode).toBe(201);
    expect(await usedBy(secret)).toMatchObject({ campaignChanges: 1 });
  });
});

describe('open runs', () => {
  const start = (secret: string, id: string) => askAs(secret, 'POST', `/v1/campaigns/${id}/start`);
  const later = { ...inSg, schedule: { type: 'at', time: '2026-02-01T00:00:00Z' } };
  const hourly = { ...inSg, schedule: { type: 'recurring', cron: '0 * * * *' } };

  it('are refused beyond so many, whether they wait for their time or recur, and free when taken back', async () => {
    const { secret } = await makeManager();
    const made = [];
    for (const body of [later, hourly, inSg]) made.push(idOf(await askAs(secret, 'POST', '/v1/campaigns', body)));
    const [first = '', second = '', third = ''] = made;
    expect((await start(secret, first)).statusCode).toBe(200);
    expect((await start(secret, second)).statusCode).toBe(200);
    expect(await usedBy(secret)).toMatchObject({ openRuns: 2 });
    expect(await refusedBy(start(secret, third))).toEqual({
      ...{ statusCode: 429, code: 'quota-exceeded', variable: 'QUOTA_OPEN_RUNS', figure: 2 },
    });
    expect(await on.rowsOf('run_starts')).toHaveLength(1);
    // What is started already needs no room.
    expect((await start(secret, first)).statusCode).toBe(200);
    expect((await askAs(secret, 'POST', `/v1/campaigns/${first}/unschedule`)).statusCode).toBe(200);
    expect((await start(secret, third)).statusCode).toBe(200);
  });
});

it('a retry of failed users is an open run too', async () => {
  const { id, secret } = await makeManager();
  const subject = createPostgresExecutionStores(on);
  const { runId, feedId } = await startFedRun(subject, [['u1', 'u2']]);
  await on.pool.query('update campaigns set account = $1', [uuidOf('apiKey', id)]);
  const ledger = subject.ledgerOf('a');
  await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures: [failed('u1')] }));
  await subject.runs.finish(runId, 'completed_with_failures', null);
  const { rows } = await on.pool.query<{ campaign: string }>('select campaign from runs');
  for (const scheduledFor of [new Date(1), new Date(2)]) {
    const seed = { campaignId: rows[0]?.campaign ?? '', revision: 1, scheduledFor, state: 'running' as const };
    await on.deps.rows.addRun({ ...seed, startedAt: scheduledFor });
  }
  const retry = () => askAs(undefined, 'POST', `/v1/runs/${publicId('run', runId)}/retry-failed`);
  expect(await refusedBy(retry())).toMatchObject({ statusCode: 429, variable: 'QUOTA_OPEN_RUNS', figure: 2 });
  await on.pool.query(`update runs set state = 'completed', ended_at = now() where scheduled_for = $1`, [new Date(1)]);
  expect((await retry()).statusCode).toBe(201);
  expect(await usedBy(secret)).toMatchObject({ openRuns: 2 });
});

describe('uploaded lists', () => {
  it('are refused beyond so many, until one is deleted', async () => {
    const { secret } = await makeManager();
    const list = await upload(secret, 'a\nb');
    expect(list.statusCode).toBe(201);
    expect((await upload(secret, 'c')).statusCode).toBe(201);
    const refused = { statusCode: 507, code: 'quota-exceeded', variable: 'QUOTA_LISTS', figure: 2 };
    expect(await refusedBy(upload(secret, 'd'))).toEqual(refused);
    expect((await askAs(secret, 'DELETE', `/v1/audiences/${idOf(list)}`)).statusCode).toBe(204);
    expect((await upload(secret, 'd')).statusCode).toBe(201);
  });

  it('hold so many bytes of ids together, those of an upload that is refused leave nothing', async () => {
    const { secret } = await makeManager();
    expect((await upload(secret, 'user-0001\nuser-0002')).statusCode).toBe(201);
    expect(await usedBy(secret)).toMatchObject({ lists: 1, listBytes: 19 });
    const refused = await refusedBy(upload(secret, 'user-0003'));
    expect(refused).toMatchObject({ statusCode: 507, code: 'quota-exceeded', variable: 'QUOTA_LIST_MIB' });
    expect(await usedBy(secret)).toMatchObject({ lists: 2, listBytes: 19 });
    const lists = await on.rowsOf('audiences');
    expect(lists.map(({ state }) => state)).toEqual(['ready', 'failed']);
    expect(lists[1]?.['cause']).toContain('QUOTA_LIST_MIB');
    expect(await on.rowsOf('audience_parts')).toHaveLength(1);
  });

  it('hold so many bytes in all accounts together', async () => {
    const [one, other] = [await makeManager(), await makeManager()];
    expect((await upload(one.secret, 'user-0001\nuser-0002')).statusCode).toBe(201);
    const refused = await refusedBy(upload(other.secret, 'user-0003\nuser-4'));
    expect(refused).toMatchObject({ statusCode: 507, variable: 'QUOTA_ALL_LISTS_MIB' });
    expect((await upload(other.secret, 'user-0003')).statusCode).toBe(201);
  });
});

it('event streams are so many for all keys of an account in a process, and others have theirs', async () => {
  const lead = await makeLead();
  const member = await makeManager(lead.secret);
  const other = await makeManager();
  const url = `${await on.start()}/v1/live?campaigns=true`;
  const leaving = new AbortController();
  const open = async ({ secret }: { secret: string }) =>
    (await fetch(url, { headers: { authorization: `Bearer ${secret}` }, signal: leaving.signal })).status;

  expect([await open(lead), await open(member), await open(lead), await open(member)]).toEqual([200, 200, 429, 429]);
  expect(await usedBy(member.secret)).toMatchObject({ streams: 2 });
  expect(await open(other)).toBe(200);
  leaving.abort();
  await expect.poll(async () => (await usedBy(lead.secret))['streams']).toBe(0);
});

it('what the fullest account has used is a metric', async () => {
  const { secret } = await makeManager();
  await createAs(secret);
  await createAs(secret);
  const meter = createPrometheusMeter(on.deps);
  const { clock, logger, quotas } = on.deps;
  const watch = createQuotaWatch({ read: () => readQuotaUse(on.pool, null), quotas, meter, clock, logger });
  watch.start();
  const lines = async () =>
    (await meter.expose()).text.split('\n').filter((line) => line.startsWith('muster_quota_used_ratio'));
  await expect.poll(lines).toContain(`muster_quota_used_ratio{quota="campaignChanges"} ${2 / 3}`);
  await watch.stop();
});

describe('GET /v1/quotas', () => {
  it('shows a team the account that its keys count in', async () => {
    const lead = await makeLead();
    const { secret } = await makeManager(lead.secret);
    await createAs(secret);
    const answer = quotaList.parse((await askAs(lead.secret, 'GET', '/v1/quotas')).json());
    expect(answer.account).toBe(lead.id);
    expect(answer.items).toContainEqual({ name: 'campaignChanges', used: 1, limit: 3 });
    expect(quotaList.parse((await askAs(undefined, 'GET', '/v1/quotas')).json()).account).toBe(
      publicId('apiKey', on.key),
    );
  });
});
