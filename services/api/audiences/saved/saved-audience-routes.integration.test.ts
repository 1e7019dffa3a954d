import { describe, expect, it } from 'vitest';
import { listedCampaign } from '../../../../shared/contracts/runs/campaign-lists.ts';
import { campaign } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { audienceList, audiencePreview } from '../../../../shared/contracts/campaigns/audiences.ts';
import { savedAudience } from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { approvalsOn } from '../../../../test/support/approvals-on-api.ts';
import { inSg, refusedBy, teamsOn } from '../../../../test/support/teams-on-postgres.ts';
import { campaignWithWarnings } from '../../campaigns/campaign-routes.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres({ quotas: { campaignChanges: 6 } });
const { askAs, makeManager } = teamsOn(on);
const { addPeople, approve, asks, setPolicy, submit, write } = approvalsOn(on);

const audience = { include: [{ segment: 'lapsed-riders' }], exclude: [{ segment: 'staff' }] };
const lapsed = { name: 'Lapsed riders without staff', owner: 'growth', countries: ['SG', 'ID'], audience };

const save = (fields: object = {}) => on.ask('POST', '/v1/audiences', { ...lapsed, ...fields });
const saved = async (fields: object = {}) => savedAudience.parse((await save(fields)).json());
const savedOf = async (id: string) => savedAudience.parse((await on.ask('GET', `/v1/audiences/${id}`)).json());

const preview = (body: object, secret?: string) =>
  secret === undefined
    ? on.ask('POST', '/v1/audiences/preview', body)
    : askAs(secret, 'POST', '/v1/audiences/preview', body);

const problemsOf = (answer: { json: () => unknown }) =>
  problem.parse(answer.json()).errors.map(({ pointer, code }) => `${code} ${pointer}`);

const change = (id: string, patch: object, headers: Record<string, string> = {}) =>
  on.api.server.inject({
    method: 'PATCH',
    url: `/v1/audiences/${id}`,
    payload: patch,
    headers: { ...authorized, ...headers },
  });

describe('a saved audience', () => {
  it('is shown as it was saved, listed newest first, and found by a part of its name', async () => {
    const answer = await save();
    expect(answer.statusCode).toBe(201);
    const made = savedAudience.parse(answer.json());
    expect(answer.headers.location).toBe(made.links.self);
    expect(made).toMatchObject({ ...lapsed, revision: 1, usedBy: 0, latestUse: null });
    const other = await saved({ name: 'Payday' });

    expect(await savedOf(made.id)).toEqual(made);
    const list = async (query: string) =>
      audienceList.parse((await on.ask('GET', `/v1/audiences${query}&kind=saved`)).json());
    const first = await list('?limit=1');
    expect(first.items).toMatchObject([{ id: other.id, revision: 1, audience }]);
    expect((await list(`?limit=1&cursor=${first.next ?? ''}`)).items.map(({ id }) => id)).toEqual([made.id]);
    expect((await list('?q=PAY')).items.map(({ id }) => id)).toEqual([other.id]);
  });

  it('is changed by adding a revision, if the caller has read the previous revision', async () => {
    const { id } = await saved({ description: 'For December' });
    const changed = await change(id, { name: 'Riders who are away', description: null }, { 'if-match': '"1"' });
    expect([changed.statusCode, changed.headers.etag]).toEqual([200, '"2"']);
    const now = savedAudience.parse(changed.json());
    expect(now).toMatchObject({ name: 'Riders who are away', owner: 'growth', revision: 2, audience });
    expect(now).not.toHaveProperty('description');
    expect((await change(id, { name: 'late' }, { 'if-match': '"1"' })).statusCode).toBe(412);
    expect(await savedOf(id)).toMatchObject({ revision: 2 });
    const audit: unknown = (await on.ask('GET', '/v1/audit?limit=1')).json();
    expect(audit).toMatchObject({
      items: [{ method: 'PATCH', subject: id, detail: { name: 'Riders who are away', revision: 2 } }],
    });
  });

  it.each([
    [{ countries: ['SG', 'FR'] }, 'unknown-country /countries/1'],
    [{ countries: [] }, 'wrong-length /countries'],
    [{ audience: { include: [{ list: 'aud_none' }] } }, 'unknown-list /audience/include/0/list'],
    [{ chain: [] }, 'unknown-field /chain'],
  ])('is refused with a problem: %j', async (fields, expected) => {
    const answers = [await save(fields), await change((await saved()).id, fields)];
    expect(answers.map((answer) => [answer.statusCode, ...problemsOf(answer)])).toEqual([
      [422, expected],
      [422, expected],
    ]);
  });

  it('is estimated on request, for its countries', async () => {
    const made = await saved({ audience: { ...audience, holdOutPercent: 5 } });
    const { id, users, countries, holdOutPercent } = audiencePreview.parse((await preview({ id: made.id })).json());
    expect([id, holdOutPercent]).toEqual([made.id, 5]);
    expect(users).toEqual({ atLeast: 0, atMost: 2000 });
    expect(countries.map(({ country }) => country)).toEqual(['SG', 'ID']);
  });

  it('is estimated for a manager with a scope of fewer countries, like the preview of a campaign that uses it', async () => {
    const [{ id, links }, { secret }] = [await saved(), await makeManager()];
    const estimated = await preview({ id }, secret);
    expect(estimated.statusCode, estimated.body).toBe(200);
    const draft = { ...someCampaign, countries: lapsed.countries, audience };
    const ofCampaign = await askAs(secret, 'POST', '/v1/campaigns/preview', draft);
    const { countries } = audiencePreview.parse(estimated.json());
    expect(ofCampaign.json()).toMatchObject({ countries: countries.map(({ country, users }) => ({ country, users })) });
    expect((await askAs(secret, 'PATCH', links.self, { name: 'x' })).statusCode).toBe(403);
  });

  it('is not estimated for a manager whose scope includes none of its countries', async () => {
    const [{ id }, { secret }] = [await saved({ countries: ['ID'] }), await makeManager()];
    const answer = await preview({ id }, secret);
    expect([answer.statusCode, problem.parse(answer.json()).code]).toEqual([404, 'audience-not-found']);
  });

  it('can be estimated from its sources before it is saved, and this estimate is not stored', async () => {
    const { id, users } = audiencePreview.parse((await preview({ countries: ['SG'], audience })).json());
    expect([id, users]).toEqual([null, { atLeast: 0, atMost: 1000 }]);
    const unknown = await preview({ countries: ['SG'], audience: { include: [{ list: 'aud_none' }] } });
    expect([unknown.statusCode, problemsOf(unknown)]).toEqual([422, ['unknown-list /audience/include/0/list']]);
    expect((await preview({ id: 'sav_none' })).statusCode).toBe(404);
    expect((await preview({})).statusCode).toBe(422);
  });

  it('counts in its team’s quota of changes', async () => {
    const { secret } = await makeManager();
    const audience = { ...lapsed, countries: ['SG'] };
    for (let made = 0; made < 6; made++) {
      expect((await askAs(secret, 'POST', '/v1/audiences', audience)).statusCode).toBe(201);
    }
    expect(await refusedBy(askAs(secret, 'POST', '/v1/audiences', audience))).toMatchObject({ statusCode: 429 });
  });

  it('is not found after its deletion, and a second deletion changes nothing', async () => {
    const { id, links } = await saved();
    expect((await on.ask('DELETE', links.self)).statusCode).toBe(204);
    expect((await on.ask('DELETE', links.self)).statusCode).toBe(204);
    expect((await on.ask('GET', links.self)).statusCode).toBe(404);
    expect(problem.parse((await change(id, { name: 'x' })).json()).code).toBe('audience-not-found');
    expect(problem.parse((await on.ask('GET', '/v1/audiences/x')).json()).code).toBe('audience-not-found');
  });
});

describe('a campaign from a saved audience', () => {
  const take = (fields: object) => on.ask('POST', '/v1/campaigns', { ...someCampaign, audience, ...fields });
  const took = async (fields: object) => campaign.parse((await take(fields)).json());
  const redefine = (id: string, patch: object) => on.ask('PATCH', `/v1/campaigns/${id}`, patch);

  it('has a copy of its sources and the revision from which they were copied', async () => {
    const { id } = await saved();
    const held = { ...audience, holdOutPercent: 10 };
    const made = await took({ audience: held, savedAudience: { id, revision: 1 } });
    expect(made).toMatchObject({ audience: held, savedAudience: { id, revision: 1 } });

    await change(id, { audience: { include: [{ segment: 'others' }] } });
    const after = campaign.parse((await on.ask('GET', made.links.self)).json());
    expect(after).toEqual(made);
    expect(await savedOf(id)).toMatchObject({ revision: 2, usedBy: 1 });
    // The previous revision still exists, for a caller who read it before the change.
    expect((await take({ savedAudience: { id, revision: 1 } })).statusCode).toBe(201);
  });

  it.each([
    [{ savedAudience: { id: 'sav_none', revision: 1 } }, 'unknown-saved-audience /savedAudience'],
    [{ savedAudience: { revision: 2 } }, 'unknown-saved-audience /savedAudience'],
    [{ audience: { include: [{ segment: 'others' }] } }, 'other-sources /savedAudience'],
    [{ audience: { include: audience.include } }, 'other-sources /savedAudience'],
  ])('is refused if its sources differ from the saved ones: %j', async (fields, expected) => {
    const { id } = await saved();
    const taken = { id, revision: 1, ...('savedAudience' in fields ? fields.savedAudience : {}) };
    const answer = await take({ ...fields, savedAudience: taken });
    expect([answer.statusCode, ...problemsOf(answer)]).toEqual([422, expected]);
  });

  it('loses the reference to the saved audience when a change or a restored revision makes the sources differ', async () => {
    const { id } = await saved();
    const savedRef = { id, revision: 1 };
    const made = await took({ savedAudience: savedRef });
    const renamed = await redefine(made.id, { name: 'January', audience: { ...audience, holdOutPercent: 1 } });
    expect(renamed.json()).toMatchObject({ revision: 2, savedAudience: savedRef });

    const others = campaignWithWarnings.parse(
      (await redefine(made.id, { audience: { include: [{ segment: 'others' }] } })).json(),
    );
    expect(others.warnings[0]).toMatchObject({ code: 'other-sources', pointer: '/savedAudience' });
    expect(others).not.toHaveProperty('savedAudience');
    expect(await savedOf(id)).toMatchObject({ usedBy: 0, latestUse: null });

    const again = await redefine(made.id, { audience, savedAudience: savedRef });
    expect(again.json()).toMatchObject({ savedAudience: savedRef });
    const restored = await on.ask('POST', `/v1/campaigns/${made.id}/revisions/3/restore`);
    expect(restored.json()).not.toHaveProperty('savedAudience');
  });

  it('keeps the reference in a copy, even after the saved audience was deleted', async () => {
    const { id, links } = await saved();
    const made = await took({ savedAudience: { id, revision: 1 } });
    await on.ask('DELETE', links.self);
    const copy = await on.ask('POST', `/v1/campaigns/${made.id}/clone`);
    expect(copy.json()).toMatchObject({ audience, savedAudience: { id, revision: 1 } });
    const other = await on.ask('POST', `/v1/campaigns/${made.id}/clone`, {
      audience: { include: [{ segment: 'others' }] },
    });
    expect(other.json()).not.toHaveProperty('savedAudience');
  });

  it('counts as a use of the saved audience, appears in its list of campaigns, and is shown as its newest use', async () => {
    const [{ id }, other] = [await saved(), await saved({ name: 'Other' })];
    await took({ name: 'First', savedAudience: { id, revision: 1 } });
    const newest = await took({ name: 'Second', savedAudience: { id, revision: 1 } });
    await took({ name: 'By hand' });
    expect(await savedOf(id)).toMatchObject({
      usedBy: 2,
      latestUse: { campaignId: newest.id, name: 'Second', revision: 1, createdAt: newest.createdAt },
    });
    expect(await savedOf(other.id)).toMatchObject({ usedBy: 0, latestUse: null });
    const list = async (query: string) =>
      pageShape(listedCampaign)
        .parse((await on.ask('GET', `/v1/campaigns?savedAudience=${query}`)).json())
        .items.map(({ name }) => name);
    expect(await list(id)).toEqual(['Second', 'First']);
    expect((await on.ask('GET', '/v1/campaigns?savedAudience=cmp_1')).statusCode).toBe(422);
    expect((await on.ask('GET', `/v1/campaigns/counts?savedAudience=${id}`)).json()).toMatchObject({
      all: 2,
      draft: 2,
    });
  });

  it('keeps its approval when its reference changes, because an approval does not cover the origin of the sources', async () => {
    const { id } = await saved();
    await addPeople();
    await setPolicy({ rules: [{ approvers: 1 }] });
    const made = await write('mei, manager', { audience });
    const { hash } = await submit(made.id);

    const patch = { savedAudience: { id, revision: 1 } };
    const taken = await asks('mei, manager', 'PATCH', `/campaigns/${made.id}`, patch);
    expect(taken.json()).toMatchObject({ ...patch, revision: 2, state: 'in_review', approval: { hash } });
    expect(await approve(made.id, hash)).toMatchObject({ state: 'approved' });
  });

  it('cannot be created from a template, because templates contain only sources', async () => {
    const { name: _, ...definition } = { ...inSg, audience, savedAudience: { id: (await saved()).id, revision: 1 } };
    const answer = await on.ask('POST', '/v1/templates', { name: 'Payday', campaign: definition });
    expect([answer.statusCode, problemsOf(answer)[0]]).toEqual([422, 'invalid-value /campaign']);
  });
});
