import { get as httpGet, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { quotaList } from '../../../shared/contracts/access/quotas.ts';
import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { idOf, inSg, refusedBy, teamsOn } from '../../../test/support/teams-on-postgres.ts';
import { createQuotaWatch } from './quota-watch.ts';

const on = apiOnPostgres({
  quotas: { streams: 2, campaignChanges: 3, lists: 2, listBytes: 20, allListBytes: 30 },
});
const { askAs, makeLead, makeManager, usedBy } = teamsOn(on);

const createAs = (secret: string) => askAs(secret, 'POST', '/v1/campaigns', inSg);

function upload(secret: string, payload: string) {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'text/csv' };
  return on.api.server.inject({ method: 'POST', url: '/v1/audiences/upload?name=x&country=SG', headers, payload });
}

describe('changes of campaigns', () => {
  it('are refused beyond the daily quota, which counts all keys of the account and no other accounts', async () => {
    const lead = await makeLead();
    const first = await makeManager(lead.secret);
    const draft = await createAs(first.secret);
    expect(draft.statusCode).toBe(201);
    expect((await createAs(first.secret)).statusCode).toBe(201);
    // Another key of the account does not get a quota of its own.
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

  it('do not exceed the quota if they are made at the same time', async () => {
    const { secret } = await makeManager();
    const answers = await Promise.all(Array.from({ length: 8 }, () => createAs(secret)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3);
  });

  it('count once if they are repeated under one Idempotency-Key', async () => {
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

describe('uploaded lists', () => {
  it('are refused beyond the quota, until one is deleted', async () => {
    const { secret } = await makeManager();
    const list = await upload(secret, 'a\nb');
    expect(list.statusCode).toBe(201);
    expect((await upload(secret, 'c')).statusCode).toBe(201);
    const refused = { statusCode: 507, code: 'quota-exceeded', variable: 'QUOTA_LISTS', figure: 2 };
    expect(await refusedBy(upload(secret, 'd'))).toEqual(refused);
    expect((await askAs(secret, 'DELETE', `/v1/audiences/${idOf(list)}`)).statusCode).toBe(204);
    expect((await upload(secret, 'd')).statusCode).toBe(201);
  });

  it('count together towards a quota of bytes, and an upload that is refused leaves nothing stored', async () => {
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

  it('count towards a quota of bytes over all accounts', async () => {
    const [one, other] = [await makeManager(), await makeManager()];
    expect((await upload(one.secret, 'user-0001\nuser-0002')).statusCode).toBe(201);
    const refused = await refusedBy(upload(other.secret, 'user-0003\nuser-4'));
    expect(refused).toMatchObject({ statusCode: 507, variable: 'QUOTA_ALL_LISTS_MIB' });
    expect((await upload(other.secret, 'user-0003')).statusCode).toBe(201);
  });
});

it('event streams have a quota for all keys of an account in a process, which other accounts do not use', async () => {
  const lead = await makeLead();
  const member = await makeManager(lead.secret);
  const other = await makeManager();
  const url = `${await on.start()}/v1/live?campaigns=true`;
  const opened: IncomingMessage[] = [];
  const open = async ({ secret }: { secret: string }) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(url, { headers: { authorization: `Bearer ${secret}` } }, resolve).once('error', reject);
    });
    opened.push(answer);
    return answer.statusCode;
  };

  expect([await open(lead), await open(member), await open(lead), await open(member)]).toEqual([200, 200, 429, 429]);
  expect(await usedBy(member.secret)).toMatchObject({ streams: 2 });
  expect(await open(other)).toBe(200);
  for (const answer of opened) answer.destroy();
  await expect.poll(async () => (await usedBy(lead.secret))['streams']).toBe(0);
});

it('the use of each quota by the account with the highest use is exported as a metric', async () => {
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
  it('returns the account whose quotas the keys of a team use', async () => {
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
