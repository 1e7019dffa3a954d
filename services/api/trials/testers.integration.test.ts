import { beforeEach, describe, expect, it } from 'vitest';
import { uploadedAudience } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { runReport } from '../../../shared/contracts/runs/runs.ts';
import { testApiKey } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../test/support/approvals-on-api.ts';
import { testSendsOn } from '../../../test/support/test-sends-on-api.ts';

const on = apiOnPostgres();
const approvals = approvalsOn(on);
const { addPeople, asks, setPolicy, write } = approvals;
const { sent } = testSendsOn(on, approvals);
const countries = ['SG', 'ID'];

beforeEach(addPeople);

async function listOf(rows: string): Promise<string> {
  const answer = await on.api.server.inject({
    method: 'POST',
    url: '/v1/audiences/upload?name=Testers',
    payload: `userId,country\n${rows}`,
    headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'text/csv' },
  });
  expect(answer.statusCode, answer.body).toBe(201);
  return uploadedAudience.parse(answer.json()).id;
}

/** A test with these testers; the fields of named users are absent. */
const withTesters = (testers: string) => ({ testers, users: undefined, country: undefined });
const tries = (id: string, body: object) => asks('mei, manager', 'POST', `/campaigns/${id}/trials`, body);
const stored = async () =>
  (
    await on.pool.query(
      `select f.country, u.user_id as "user", f.estimate::int from feeds f join explicit_users u using (feed) order by 1 desc, 2`,
    )
  ).rows as unknown[];

describe('a test send to a list of testers', () => {
  it('calls each user in the country of the list, as one run', async () => {
    const { id } = await write('mei, manager', { countries });
    const { run, users, links } = await sent(id, withTesters(await listOf('zoë,SG\nu1,SG\n🦄,ID\n')));
    expect([run?.kind, users]).toEqual(['test', 3]);
    expect(await stored()).toEqual([
      { country: 'SG', user: 'u1', estimate: 2 },
      { country: 'SG', user: 'zoë', estimate: 2 },
      { country: 'ID', user: '🦄', estimate: 1 },
    ]);
    const report = runReport.parse((await on.ask('GET', links.report ?? '')).json());
    expect(report.countries.map(({ country }) => country).toSorted()).toEqual(['ID', 'SG']);
  });

  it('begins nothing in a preview', async () => {
    const { id } = await write('mei, manager', { countries });
    const answer = await tries(id, { kind: 'test', testers: await listOf('u1,SG\nu2,ID\n'), preview: true });
    expect([answer.statusCode, answer.json<{ users: number }>().users]).toEqual([200, 2]);
    expect(await stored()).toEqual([]);
  });

  it('is refused for testers in an earlier live test of the campaign', async () => {
    const { id } = await write('mei, manager', { countries });
    const testers = await listOf('u1,SG\nu2,ID\n');
    await sent(id, withTesters(testers));
    expect(verdictOf(await tries(id, { kind: 'test', testers }))).toBe('409 reached-by-test');
    expect(verdictOf(await tries(id, { kind: 'test', users: ['u2'], country: 'ID' }))).toBe('409 reached-by-test');
  });

  it('counts the users of all countries in the sums of the approval policy', async () => {
    await setPolicy({ rules: [{ usersAbove: 2, approvers: 1 }] });
    const { id } = await write('mei, manager', { countries });
    const answer = await tries(id, { kind: 'test', testers: await listOf('a,SG\nb,SG\nc,ID\n') });
    expect(verdictOf(answer)).toBe('409 approval-needed');
  });

  it.each([
    ['an unknown list', 'aud_01jcqh4b5ge2qv6h2s1j3v8k9m', 'unknown-list', 'aud_01jcqh4b5ge2qv6h2s1j3v8k9m'],
    ['a text that is no id', 'testers', 'unknown-list', 'testers'],
  ])('is refused for %s', async (_what, testers, code, value) => {
    const { id } = await write('mei, manager', { countries });
    const { errors } = (await tries(id, { kind: 'test', testers })).json<{ errors: { detail: string }[] }>();
    expect(errors).toMatchObject([{ pointer: '/testers', code }]);
    expect(errors[0]?.detail).toContain(value);
  });

  it('is refused for a list with more than 200 users, or with users of another country', async () => {
    const { id } = await write('mei, manager', { countries: ['SG'] });
    const many = await listOf(Array.from({ length: 201 }, (_, index) => `u${index},SG`).join('\n'));
    expect((await tries(id, { kind: 'test', testers: many })).json()).toMatchObject({
      errors: [
        { pointer: '/testers', code: 'too-many-testers', detail: expect.stringContaining('201 users') as string },
      ],
    });
    const foreign = await listOf('u1,SG\nu2,ID\n');
    expect((await tries(id, { kind: 'test', testers: foreign })).json()).toMatchObject({
      errors: [{ pointer: '/testers', code: 'foreign-country', detail: expect.stringContaining('"ID"') as string }],
    });
    expect(await stored()).toEqual([]);
  });

  it('is refused for a list that the key does not see, as for one that does not exist', async () => {
    const { id } = await write('mei, manager', { countries: ['SG'] });
    const testers = await listOf('u1,ID\n');
    const key = { name: 'sg', role: 'manager', scope: { countries: ['SG'] } };
    const { secret } = (await on.ask('POST', '/v1/api-keys', key)).json<{ secret: string }>();
    const answer = await on.api.server.inject({
      method: 'POST',
      url: `/v1/campaigns/${id}/trials`,
      payload: { kind: 'test', testers },
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/testers', code: 'unknown-list' }] });
  });

  it.each([
    ['users', { users: ['u1'] }],
    ['a country', { country: 'SG' }],
  ])('is refused beside %s', async (_what, more) => {
    const { id } = await write('mei, manager', { countries });
    const answer = await tries(id, { kind: 'test', testers: 'aud_01jcqh4b5ge2qv6h2s1j3v8k9m', ...more });
    expect(answer.statusCode).toBe(422);
    const pointer = `/${Object.keys(more)[0] ?? ''}`;
    expect(answer.json()).toMatchObject({ errors: [{ pointer }] });
  });

  it('names who is missing if neither users nor testers are given', async () => {
    const { id } = await write('mei, manager', { countries });
    expect((await tries(id, { kind: 'test' })).json()).toMatchObject({
      errors: [{ pointer: '/users' }, { pointer: '/country' }],
    });
  });
});
