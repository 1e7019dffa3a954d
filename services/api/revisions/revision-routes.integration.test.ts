import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listedRevision, revisionDiff } from '../../../shared/contracts/campaigns/revisions.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { teamsOn } from '../../../test/support/teams-on-postgres.ts';
import { pageShape } from '../frame/pages.contract.ts';

const on = apiOnPostgres();
const { askAs, makeManager } = teamsOn(on);

const revised = z.looseObject({ id: z.string(), revision: z.int(), name: z.string() });
const { countries, audience, chain } = someCampaign;

interface Kind {
  noun: string;
  path: string;
  first: { name: string } & Record<string, unknown>;
  /** Change of the first revision that limits the countries to SG. */
  second: object;
  /** Expected difference of the second revision from the first. */
  changed: object;
}

const kinds: Kind[] = [
  {
    noun: 'campaign',
    path: '/campaigns',
    first: someCampaign,
    second: { name: 'second', countries: ['SG'] },
    changed: { pointer: '/countries', before: countries, after: ['SG'] },
  },
  {
    noun: 'template',
    path: '/templates',
    first: {
      name: 'Payday',
      campaign: { countries: ['SG', 'ID'], audience, chain },
      variables: {},
    },
    second: { name: 'second', campaign: { countries: ['SG'], audience, chain } },
    changed: { pointer: '/campaign/countries', before: ['SG', 'ID'], after: ['SG'] },
  },
  {
    noun: 'saved audience',
    path: '/audiences',
    first: { name: 'Lapsed riders', countries: ['SG', 'ID'], audience },
    second: { name: 'second', countries: ['SG'] },
    changed: { pointer: '/countries', before: ['SG', 'ID'], after: ['SG'] },
  },
];

describe.each(kinds)('revisions of a $noun', ({ path, first, second, changed, noun }) => {
  const urlOf = (id: string) => `/v1${path}/${id}`;
  /** Returns the URL of an object of this kind that has three revisions. */
  async function changedTwice() {
    const { id } = revised.parse((await on.ask('POST', `/v1${path}`, first)).json());
    const url = urlOf(id);
    for (const patch of [second, { name: 'third' }]) {
      const answer = await on.ask('PATCH', url, patch);
      expect(answer.statusCode, answer.body).toBe(200);
    }
    return { id, url };
  }
  const show = async (url: string) => revised.parse((await on.ask('GET', url)).json());
  const restore = (url: string, revision: number) => on.ask('POST', `${url}/revisions/${revision}/restore`);

  it('are listed newest first, in pages, and returned as they were saved', async () => {
    const { url } = await changedTwice();
    const list = async (query: string) =>
      pageShape(listedRevision).parse((await on.ask('GET', `${url}/revisions${query}`)).json());
    const newest = await list('?limit=2');
    const oldest = await list(`?limit=2&cursor=${newest.next ?? ''}`);

    expect(newest.items).toMatchObject([
      { revision: 3, name: 'third' },
      { revision: 2, name: 'second' },
    ]);
    expect(oldest).toMatchObject({ items: [{ revision: 1, name: first.name }], next: null });
    expect((await on.ask('GET', `${url}/revisions/1`)).json()).toMatchObject({
      revision: 1,
      createdAt: oldest.items[0]?.createdAt,
      definition: first,
    });
  });

  it('are compared field by field, the name first, with the newest revision or with the revision in the request', async () => {
    const { url } = await changedTwice();
    const diff = async (query: string) => revisionDiff.parse((await on.ask('GET', `${url}/revisions/${query}`)).json());
    const toSecond = { pointer: '/name', before: first.name, after: 'second' };
    expect(await diff('1/diff?to=2')).toEqual({ from: 1, to: 2, differences: [toSecond, changed] });
    const toThird = { pointer: '/name', before: 'second', after: 'third' };
    expect(await diff('2/diff')).toEqual({ from: 2, to: 3, differences: [toThird] });
    expect((await diff('3/diff?to=3')).differences).toEqual([]);
  });

  it.each([
    ['GET', '/revisions/4', 404],
    ['GET', '/revisions/0', 422],
    ['GET', '/revisions/x', 422],
    ['GET', '/revisions/1/diff?to=9', 404],
    ['GET', '/revisions?cursor=x', 422],
    ['POST', '/revisions/4/restore', 404],
  ] as const)('are not found if they do not exist: %s %s', async (method, below, status) => {
    const { id, url } = await changedTwice();
    expect((await on.ask(method, `${url}${below}`)).statusCode).toBe(status);
    const [prefix = ''] = id.split('_');
    const unknown = urlOf(`${prefix}_01h455vb4pex5vsknk084sn02q`);
    expect((await on.ask(method, `${unknown}${below}`)).statusCode).toBeOneOf([404, status]);
  });

  it('become the next revision when restored, with an entry in the audit log', async () => {
    const { id, url } = await changedTwice();
    const restored = await restore(url, 1);
    expect([restored.statusCode, restored.json()]).toMatchObject([200, { ...first, revision: 4 }]);
    expect((await on.ask('GET', url)).headers.etag).toBe(restored.headers.etag);
    const route = `/v1${path}/:id/revisions/:revision/restore`;
    expect((await on.ask('GET', `/v1/audit?route=${encodeURIComponent(route)}`)).json()).toMatchObject({
      items: [{ subject: id, summary: `restored a revision of a ${noun}`, detail: { restored: 1 } }],
    });
  });

  it('change nothing when restored without a difference to the current revision', async () => {
    const { url } = await changedTwice();
    await restore(url, 1);
    expect((await restore(url, 1)).json()).toMatchObject({ revision: 4, name: first.name });
    expect((await restore(url, 4)).json()).toMatchObject({ revision: 4 });
  });

  it('are not restored if the caller has not read the last change, or if the request has other fields', async () => {
    const { url } = await changedTwice();
    const { etag = '' } = (await on.ask('GET', url)).headers;
    await on.ask('PATCH', url, { name: 'meanwhile' });
    const ofThird = { method: 'POST', url: `${url}/revisions/1/restore`, headers: { ...authorized, 'if-match': etag } };
    expect((await on.api.server.inject({ ...ofThird, method: 'POST' })).statusCode).toBe(412);
    expect((await on.ask('POST', `${url}/revisions/1/restore`, { name: 'x' })).statusCode).toBe(422);
    expect(await show(url)).toMatchObject({ name: 'meanwhile', revision: 4 });
  });

  it('are not restored by a key whose scope does not include their countries', async () => {
    const { url } = await changedTwice();
    const { secret } = await makeManager();
    expect((await askAs(secret, 'POST', `${url}/revisions/1/restore`)).statusCode).toBe(403);
    expect((await askAs(secret, 'POST', `${url}/revisions/2/restore`)).json()).toMatchObject({ revision: 4 });
  });
});
