import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { listedUser, uploadedAudience } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { testApiKey } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { usersOfList } from './users-of-list.ts';

const on = apiOnPostgres();

async function listOf(rows: readonly string[]): Promise<string> {
  const answer = await on.api.server.inject({
    method: 'POST',
    url: '/v1/audiences/upload?name=Testers',
    payload: `userId,country\n${rows.join('\n')}\n`,
    headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'text/csv' },
  });
  expect(answer.statusCode, answer.body).toBe(201);
  return uploadedAudience.parse(answer.json()).links.users;
}

const pageOf = async (url: string) => pageShape(listedUser).parse((await on.ask('GET', url)).json());

describe('the users of a list', () => {
  it('are ordered by country and id, and a cursor continues after the last user of a page', async () => {
    const url = await listOf(['zoë r,SG', 'b,ID', 'a,SG', 'a b,ID']);
    const first = await pageOf(`${url}?limit=3`);
    expect(first.items).toEqual([
      { user: 'a b', country: 'ID' },
      { user: 'b', country: 'ID' },
      { user: 'a', country: 'SG' },
    ]);
    const rest = await pageOf(`${url}?limit=3&cursor=${encodeURIComponent(first.next ?? '')}`);
    expect(rest).toEqual({ items: [{ user: 'zoë r', country: 'SG' }], next: null });
  });

  it('are complete over all pages of a large list, and in its CSV file', async () => {
    const rows = Array.from(
      { length: 2500 },
      (_, index) => `u${String(index).padStart(5, '0')},${index % 2 ? 'SG' : 'ID'}`,
    );
    const url = await listOf(rows);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page = await pageOf(`${url}?limit=700${next && `&cursor=${encodeURIComponent(next)}`}`);
      seen.push(...page.items.map(({ user, country }) => `${user},${country}`));
      ({ next } = page);
    }
    expect(seen.toSorted()).toEqual(rows.toSorted());
    const file = (await on.ask('GET', `${url}?format=csv`)).body.trim().split('\r\n');
    expect(file).toEqual(['user,country', ...seen]);
  });

  it.each(['SG', 'W10', 'WyJTRyJd'])('are refused for the cursor "%s"', async (cursor) => {
    const url = await listOf(['a,SG']);
    expect((await on.ask('GET', `${url}?cursor=${encodeURIComponent(cursor)}`)).json()).toMatchObject({
      errors: [{ pointer: '/cursor', code: 'invalid-cursor' }],
    });
  });

  it('are refused while the list is not ready', async () => {
    const url = await listOf(['a,SG']);
    await on.pool.query(`update audiences set state = 'failed'`);
    expect((await on.ask('GET', url)).json()).toMatchObject({ status: 409, code: 'state-forbids' });
  });

  it('are never truncated silently: if the list is deleted during a response, the response fails', async () => {
    const deleted = { listPage: () => Promise.resolve(undefined) };
    const list = { audienceId: uuidv7(), countries: [{ country: 'SG', users: 2 }] };
    await expect(usersOfList(list, deleted).next()).rejects.toThrow('there is no audience');
  });

  it('are not found for an unknown list', async () => {
    expect((await on.ask('GET', '/v1/audiences/aud_01jcqh4b5ge2qv6h2s1j3v8k9m/users')).statusCode).toBe(404);
  });
});
