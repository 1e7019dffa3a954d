import { describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { uploadedAudience } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { campaign } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { audienceCounts, audienceList } from '../../../../shared/contracts/campaigns/audiences.ts';
import { savedAudience } from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { untilOneWaits } from '../../../../test/support/lock-waits.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

const riders = { segment: 'riders' };
const list = (id: string) => ({ list: id });

async function upload(name: string, payload = 'a\nb\n') {
  const answer = await on.api.server.inject({
    method: 'POST',
    url: `/v1/audiences/upload?name=${name}&country=SG&acceptRejected=2`,
    payload,
    headers: { ...authorized, 'content-type': 'text/csv' },
  });
  return uploadedAudience.parse(answer.json()).id;
}

const trySave = (name: string, audience: object) =>
  on.ask('POST', '/v1/audiences', { name, countries: ['SG'], audience });

async function save(name: string, audience: object) {
  const answer = await trySave(name, audience);
  expect(answer.statusCode, answer.body).toBe(201);
  return savedAudience.parse(answer.json()).id;
}

async function write(audience: object) {
  const answer = await on.ask('POST', '/v1/campaigns', { ...someCampaign, audience });
  expect(answer.statusCode, answer.body).toBe(201);
  return campaign.parse(answer.json());
}

const change = (id: string, audience: object, revision?: number) =>
  on.api.server.inject({
    method: 'PATCH',
    url: `/v1/audiences/${id}`,
    payload: { audience },
    headers: { ...authorized, ...(revision !== undefined && { 'if-match': `"${revision}"` }) },
  });

const remove = (id: string) => on.ask('DELETE', `/v1/audiences/${id}`);
const named = async (query = '') => audienceList.parse((await on.ask('GET', `/v1/audiences${query}`)).json());
const usesOf = async (query = '') =>
  (await named(query)).items.map(({ id, usedBy, usedBySaved }) => [id, usedBy, usedBySaved]);
const listOf = async (id: string) => uploadedAudience.parse((await on.ask('GET', `/v1/audiences/${id}`)).json());
const savedWith = async (query: string) => (await named(`?${query}`)).items.map(({ id }) => id);

/** Expects that the stored counts equal a new count of all definitions. */
async function expectTrueCounts() {
  const { rows } = await on.pool.query(`
    with definitions as (
      select true as by_saved_audience, r.definition -> 'audience' as audience from saved_audiences s
      join revisions r on r.saved_audience = s.id and r.revision = s.revision
      union all
      select false, r.definition -> 'audience' from campaigns c
      join revisions r on r.campaign = c.id and r.revision = c.revision where c.archived_at is null
    ), counted as (
      select kind, source, count(*) filter (where not by_saved_audience) as campaigns,
        count(*) filter (where by_saved_audience) as saved
      from definitions cross join lateral named_sources(audience) group by 1, 2
    )
    select coalesce(n.source, counted.source), n.campaigns, n.saved_audiences, counted.campaigns, counted.saved
    from counted full join (select * from named_audiences where uses > 0) n using (kind, source)
    where (n.campaigns, n.saved_audiences) is distinct from (counted.campaigns, counted.saved)`);
  expect(rows).toEqual([]);
}

describe('a source of a saved audience', () => {
  it('counts as used in the order of the list, and shows the saved audience that uses it', async () => {
    const [vip, staff, free] = [await upload('VIP'), await upload('staff'), await upload('free')];
    await write({ include: [riders, list(vip)] });
    await save('Riders', { include: [riders], exclude: [list(staff)] });
    const newest = await save('Others', { include: [{ segment: 'drivers' }], exclude: [list(staff)] });
    expect(await usesOf('?kind=list')).toEqual([
      [staff, 0, 2],
      [vip, 1, 0],
      [free, 0, 0],
    ]);
    expect(await usesOf('?kind=segment')).toEqual([
      ['riders', 1, 1],
      ['drivers', 0, 1],
    ]);
    const [first] = (await named('?kind=list')).items;
    expect(first).toMatchObject({ latestUse: null, latestSaved: { savedAudienceId: newest, name: 'Others' } });
    expect(await usesOf('?kind=list&used=false')).toEqual([[free, 0, 0]]);
    expect((await usesOf('?used=true')).map(([id]) => id)).toEqual(['riders', staff, 'drivers', vip]);
    const counts = audienceCounts.parse((await on.ask('GET', '/v1/audiences/counts')).json());
    expect(counts).toMatchObject({ all: 7, segments: 2, notUsed: 3 });
    const pages = [(await named('?kind=list&limit=1')).next, (await named('?kind=list&limit=2')).next];
    expect(await usesOf(`?kind=list&limit=1&cursor=${pages[0] ?? ''}`)).toEqual([[vip, 1, 0]]);
    expect(await usesOf(`?kind=list&cursor=${pages[1] ?? ''}`)).toEqual([[free, 0, 0]]);
  });

  it('shows the number of saved audiences that use it, in each response', async () => {
    const staff = await upload('staff');
    const saved = await save('Riders', { include: [riders], exclude: [list(staff)] });
    expect(await listOf(staff)).toMatchObject({ usedBy: 0, usedBySaved: 1 });
    expect((await named('?kind=list&used=true')).items).toMatchObject([{ id: staff }]);
    expect((await on.ask('GET', '/v1/audiences/counts')).json()).toMatchObject({ notUsed: 1 });
    expect(await savedWith(`list=${staff}`)).toEqual([saved]);
    expect(await savedWith('segment=riders')).toEqual([saved]);
    expect(await savedWith('segment=drivers')).toEqual([]);
    await write({ include: [riders] });
    expect(await usesOf('?kind=segment')).toEqual([['riders', 1, 1]]);
  });

  it('adds its rejected rows to those of the saved audience', async () => {
    const [bad, worse] = [await upload('bad', 'a\n\u0001\n'), await upload('worse', 'a\n\u0001\n\u0002\n')];
    const id = await save('Riders', { include: [riders, list(bad)], exclude: [list(worse)] });
    const other = await save('Others', { include: [riders] });
    const rejected = (await named()).items.map((each) => [each.id, each.rejected]);
    expect(rejected.filter(([source]) => source === id || source === other)).toEqual([
      [other, null],
      [id, 1],
    ]);
  });

  it('follows each change of the saved audience, and its deletion', async () => {
    const staff = await upload('staff');
    const id = await save('Riders', { include: [riders], exclude: [list(staff)] });
    expect((await change(id, { include: [{ segment: 'drivers' }] })).statusCode).toBe(200);
    expect(await usesOf()).toEqual([
      ['drivers', 0, 1],
      [id, 0, 0],
      [staff, 0, 0],
    ]);
    await remove(id);
    expect(await usesOf()).toEqual([[staff, 0, 0]]);
    const { rows } = await on.pool.query('select from audience_uses');
    expect(rows).toEqual([]);
  });

  it('is counted correctly after many concurrent changes of saved audiences and campaigns', async () => {
    const lists = [await upload('a'), await upload('b')].map(list);
    const sources = (turned: boolean) => (turned ? lists.toReversed() : lists);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, i) => save(`saved ${i}`, { include: sources(i % 2 === 0), exclude: [riders] })),
    );
    await expectTrueCounts();
    await Promise.all(
      made.flatMap((id, i) => {
        if (i % 3 === 0) return [remove(id)];
        const audience = { include: [{ segment: 'drivers' }], exclude: sources(i % 2 === 1).slice(i % 2) };
        return i % 3 === 1 ? [change(id, audience), change(id, { include: [riders] })] : [write(audience), remove(id)];
      }),
    );
    await expectTrueCounts();
  });

  it('is counted once if two edits of the same revision are concurrent, because the second is refused', async () => {
    const id = await save('Riders', { include: [riders] });
    const edits = ['one', 'other', 'third'].map((segment) => change(id, { include: [{ segment }] }, 1));
    const codes = (await Promise.all(edits)).map(({ statusCode }) => statusCode);
    expect(codes.toSorted()).toEqual([200, 412, 412]);
    await expectTrueCounts();
  });

  it('is not looked up for a page that does not show it', async () => {
    const staff = await upload('staff');
    await on.pool.query(
      `insert into saved_audiences (id, name) select uuidv7(), 'saved ' || n from generate_series(1, 3000) n`,
    );
    await on.pool.query(
      `insert into revisions (saved_audience, revision, definition)
       select id, 1, jsonb_build_object('countries', '["SG"]'::jsonb, 'audience', jsonb_build_object(
         'include', '[{"segment": "riders"}]'::jsonb,
         'exclude', jsonb_build_array(jsonb_build_object('list', $1::text))))
       from saved_audiences`,
      [staff],
    );
    expect((await usesOf('?limit=2')).map(([, , saved]) => saved)).toEqual([3000, 3000]);
    await on.pool.query('analyze named_audiences, audience_uses, saved_audiences');
    const { rows } = await on.pool.query<{ 'QUERY PLAN': string }>(
      `explain select used_by from audience_uses
       where kind = 'list' and source = $1 and by_saved_audience order by used_by desc limit 1`,
      [staff],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (Only )?Scan Backward using audience_uses_pkey/);
    expect(plan).not.toMatch(/Sort|Seq Scan/);
  });
});

describe('a list in a saved audience', () => {
  it('is not deleted, and the reason is returned, until no saved audience uses it', async () => {
    const staff = await upload('staff');
    const id = await save('Riders', { include: [riders], exclude: [list(staff)] });
    const refused = await remove(staff);
    const { code, detail } = problem.parse(refused.json());
    expect([refused.statusCode, code]).toEqual([409, 'audience-in-use']);
    expect(detail).toContain(`${id} ("Riders")`);
    expect(await listOf(staff)).toMatchObject({ users: 2 });
    await change(id, { include: [riders] });
    expect((await remove(staff)).statusCode).toBe(204);
  });

  it('does not come back with a restored revision after its deletion', async () => {
    const staff = await upload('staff');
    const id = await save('Riders', { include: [riders], exclude: [list(staff)] });
    await change(id, { include: [riders] });
    expect((await remove(staff)).statusCode).toBe(204);
    const refused = await on.ask('POST', `/v1/audiences/${id}/revisions/1/restore`);
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { code: 'unknown-list', pointer: '/audience/exclude/0/list' },
    ]);
    await expectTrueCounts();
  });

  it('is not saved by a concurrent request while it is being deleted: the request waits and is refused', async () => {
    const staff = await upload('staff');
    const client = await on.pool.connect();
    try {
      await client.query('begin');
      await client.query('select from audiences where id = $1 for update', [uuidOf('audience', staff)]);
      const saving = trySave('Riders', { include: [riders], exclude: [list(staff)] });
      await untilOneWaits(on.pool);
      await client.query('delete from audiences where id = $1', [uuidOf('audience', staff)]);
      await client.query('commit');
      const answer = await saving;
      expect(answer.statusCode).toBe(422);
      expect(problem.parse(answer.json()).errors).toMatchObject([
        { code: 'unknown-list', pointer: '/audience/exclude/0/list' },
      ]);
      expect(await usesOf()).toEqual([]);
    } finally {
      client.release();
    }
  });

  it('is not deleted by a concurrent request while it is being saved: the request waits and is refused', async () => {
    const staff = await upload('staff');
    const client = await on.pool.connect();
    const id = uuidv7();
    try {
      await client.query('begin');
      await client.query('select from audiences where id = $1 for key share', [uuidOf('audience', staff)]);
      await client.query("insert into saved_audiences (id, name) values ($1, 'Riders')", [id]);
      await client.query('insert into revisions (saved_audience, revision, definition) values ($1, 1, $2)', [
        id,
        { audience: { include: [riders], exclude: [list(staff)] } },
      ]);
      const deleting = remove(staff);
      await untilOneWaits(on.pool);
      await client.query('commit');
      expect((await deleting).statusCode).toBe(409);
      expect(await listOf(staff)).toMatchObject({ usedBySaved: 1 });
    } finally {
      client.release();
    }
  });
});
