// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { cutList, named, namedCounts, namedList, partners, rejects } from '../../../testing/audiences/audiences.ts';
import { campaigns } from '../../../testing/campaigns/campaign-list.ts';
import { counted, counting, overlap } from '../../../testing/audiences/counts.ts';
import { problem, type Answers, type FakeRequest, type FakeApi } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { savedRiders } from '../../../testing/audiences/saved-audiences.ts';

const answers = {
  'GET /v1/audiences': namedList,
  'GET /v1/audiences/counts': namedCounts,
  'GET /v1/audiences/aud_partners': partners,
  'GET /v1/audiences/aud_cut': cutList,
  'GET /v1/audiences/:id/rejects': rejects,
  'PATCH /v1/audiences/:id': partners,
  'DELETE /v1/audiences/:id': () => new Response(null, { status: 204 }),
};
const path = '/audiences?id=aud_partners';

/** Queries of the list beside the audience. Other parts of the view load audiences of a kind. */
const pageQueries = (api: FakeApi) =>
  api
    .requestsTo('GET /v1/audiences')
    .map(({ query }) => query)
    .filter(({ limit }) => limit === '20');

test('a list shows its users, its rejected lines by reason, and its uses', async () => {
  const used = campaigns.items.slice(0, 1).map((campaign) => ({
    ...campaign,
    audience: { include: [{ segment: 's' }], exclude: [{ list: 'aud_partners' }] },
  }));
  const { api } = await openConsole(path, {
    answers: { ...answers, 'GET /v1/campaigns': { items: used, next: null } },
  });
  expect(await screen.findByText('41,206 lines = 40,818 users + 164 repeated + 224 rejected.')).toBeDefined();
  screen.getByText('VN 40,000 · ID 818');
  const lines = screen.getByRole('region', { name: 'Rejected lines' });
  expect(await within(lines).findByRole('row', { name: 'No country u-48210031, 88 2' })).toBeDefined();
  expect(within(lines).getByRole('link', { name: 'CSV' }).getAttribute('href')).toContain('rejects?format=csv');
  const uses = screen.getByRole('region', { name: 'Used by' });
  expect(await within(uses).findByText('running, excludes it')).toBeDefined();
  expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query).toMatchObject({ list: 'aud_partners' });
  expect(screen.getByRole('link', { name: 'Use in a campaign' }).getAttribute('href')).toBe(
    '/campaigns/new?list=aud_partners',
  );
});

test('each rejected line of a list is shown with its reason, in the order of the file', async () => {
  const { user } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Line by line' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rejected lines' }));
  expect(await dialog.findByRole('row', { name: '88 No country u-48210031,' })).toBeDefined();
  expect(dialog.getByRole('row', { name: '402 Country is not configured u-77120945,KH' })).toBeDefined();
  expect(dialog.getByRole('row', { name: '900 No country u-48210032,' })).toBeDefined();
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a failed list shows the cause and cannot be used', async () => {
  await openConsole('/audiences?id=aud_cut', { answers });
  expect(await screen.findByText(/^The upload was cut after 604 lines\./)).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Use in a campaign' })).toBeNull();
  expect(screen.getByText('No campaign and no saved audience uses it.')).toBeDefined();
});

test('a list that saved audiences use names them and cannot be deleted', async () => {
  const { api, user } = await openConsole(path, {
    answers: {
      ...answers,
      'GET /v1/audiences/aud_partners': { ...partners, usedBy: 0, usedBySaved: 1 },
      'GET /v1/audiences': ({ query }: FakeRequest) =>
        'list' in query ? { ...namedList, items: [named.riders] } : namedList,
    },
  });
  const uses = await screen.findByRole('region', { name: 'Used by' });
  expect(await within(uses).findByText('saved audience of growth, includes it')).toBeDefined();
  const link = within(uses).getByRole('link', { name: 'Lapsed riders without staff' });
  expect(link.getAttribute('href')).toBe('/audiences?id=sav_riders');
  const queries = api.requestsTo('GET /v1/audiences').map(({ query }) => query);
  expect(queries).toContainEqual({ kind: 'saved', list: 'aud_partners', limit: '8' });
  expect(within(uses).getByText('1 saved audience')).toBeDefined();
  await user.click(screen.getByRole('button', { name: /^More about hcmc/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete…' }));
  expect(screen.getByText(/^1 saved audience uses it: change or delete that audience first/)).toBeDefined();
});

test('all kinds of audiences are in one list, most used first, with size, age and uses', async () => {
  await openConsole('/audiences', { answers });
  const table = await screen.findByRole('table', { name: /the most used first$/ });
  await within(table).findByRole('link', { name: 'staff' });
  const rows = within(table).getAllByRole('row').slice(1);
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^staffsegment1,840counted in SG .+–9 campaignsexcluded in all of them$/),
    expect.stringMatching(/^Lapsed riders without staffsaved · growth124,880 to 125,000estimated .+–3 campaignsPayday/),
    expect.stringMatching(/^hcmc-.+uploaded list · wallet40,818.+2242 campaignsPayday, slowly$/),
    expect.stringMatching(/^pilot-penang\.csvuploaded listfailed.+0not used$/),
    expect.stringMatching(/^Lapsed riderssegment · lapsed-ridersabout 125,000reported now–not used$/),
  ]);
  // The first audience is shown beside the list.
  expect(await screen.findByRole('heading', { name: 'staff' })).toBeDefined();
  expect(screen.getByText('5 audiences, most used first')).toBeDefined();
});

test('an audience of any kind is shown next to the list', async () => {
  const { user, address } = await openConsole('/audiences', { answers });
  await user.click(await screen.findByRole('link', { name: 'Lapsed riders without staff' }));
  await waitFor(() => expect(address()).toBe('/audiences?id=sav_riders'));
  expect(await screen.findByRole('table', { name: 'Sources with their signs' })).toBeDefined();
  await user.click(screen.getByRole('link', { name: 'Lapsed riders' }));
  await waitFor(() => expect(address()).toBe('/audiences?id=lapsed-riders&of=segment'));
  expect(await screen.findByText('No ride in 90 days')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Use in a campaign' }).getAttribute('href')).toBe(
    '/campaigns/new?segment=lapsed-riders',
  );
  await user.click(screen.getByRole('link', { name: /^hcmc/ }));
  await waitFor(() => expect(address()).toBe('/audiences?id=aud_partners'));
  expect(await screen.findByRole('region', { name: 'Rejected lines' })).toBeDefined();
});

test('kind, state, search and page of the list are in the address and in the request', async () => {
  const { api, user, address } = await openConsole(path, {
    answers: { ...answers, 'GET /v1/audiences': { ...namedList, next: 'behind' } },
  });
  const lastQuery = () => pageQueries(api).at(-1);
  await user.click(await screen.findByRole('button', { name: 'Segments 2' }));
  await waitFor(() => expect(address()).toBe('/audiences?kind=segment'));
  await waitFor(() => expect(lastQuery()).toEqual({ limit: '20', kind: 'segment' }));
  await user.click(screen.getByRole('button', { name: 'Next' }));
  await waitFor(() => expect(address()).toBe('/audiences?kind=segment&cursor=behind'));
  await waitFor(() => expect(lastQuery()).toEqual({ limit: '20', kind: 'segment', cursor: 'behind' }));
  await user.click(screen.getByRole('button', { name: /^With rejected lines/ }));
  await waitFor(() => expect(address()).toBe('/audiences?show=bad-lines'));
  await waitFor(() => expect(lastQuery()).toEqual({ limit: '20', rejected: 'true' }));
  api.answer({ 'GET /v1/audiences': { ...namedList, items: [] } });
  await user.type(screen.getByPlaceholderText('Name, owner or id'), 'vip{Enter}');
  expect(await screen.findByText('Matching “vip”, with rejected lines.')).toBeDefined();
  expect(api.requestsTo('GET /v1/audiences/counts').at(-1)?.query).toEqual({ q: 'vip' });
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
});

test('an unused list shows the day of its deletion, as a warning if that is near', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const rows = [
    { ...named.cut, id: 'aud_far', name: 'far.csv', state: 'ready' as const, expiresAt: inDays(9) },
    { ...named.cut, id: 'aud_near', name: 'near.csv', state: 'ready' as const, expiresAt: inDays(2) },
    // A draft is named until the deletion is near.
    { ...named.partners, expiresAt: inDays(9) },
  ];
  const near = { ...partners, id: 'aud_near', usedBy: 1, expiresAt: inDays(2) };
  await openConsole('/audiences?id=aud_near', {
    answers: {
      ...answers,
      'GET /v1/audiences': { ...namedList, items: rows },
      'GET /v1/audiences/aud_near': near,
    },
  });
  const cellOf = async (name: RegExp) =>
    within((await screen.findByRole('link', { name })).closest('tr') ?? document.body)
      .getAllByRole('cell')
      .at(-1);
  expect((await cellOf(/^far/))?.textContent).toMatch(/^not useddeleted on \w{3} \d+ \w{3}/);
  expect((await cellOf(/^far/))?.querySelector('.c-warn')).toBeNull();
  expect((await cellOf(/^near/))?.querySelector('.c-warn')?.textContent).toMatch(/^deleted on /);
  expect((await cellOf(/^hcmc/))?.textContent).toBe('2 campaignsPayday, slowly');
  expect((await screen.findByText(/drafts do not keep it\./)).className).toContain('c-warn');
});

test('an owner is chosen from those in the list, and is in the address and in the request', async () => {
  const { api, user, address } = await openConsole('/audiences', { answers });
  await user.click(await screen.findByRole('button', { name: 'Owner' }));
  await user.click(await screen.findByRole('menuitem', { name: 'wallet' }));
  await waitFor(() => expect(address()).toBe('/audiences?owner=wallet'));
  await waitFor(() => expect(pageQueries(api).at(-1)).toEqual({ limit: '20', owner: 'wallet' }));
  await waitFor(() => expect(api.requestsTo('GET /v1/audiences/counts').at(-1)?.query).toEqual({ owner: 'wallet' }));
});

test('a segmentation service that does not answer is reported', async () => {
  const unavailable = 'the segmentation service does not answer: HTTP 503';
  await openConsole('/audiences', {
    answers: { ...answers, 'GET /v1/audiences': { ...namedList, unavailable } },
  });
  expect(
    await screen.findByText(
      'The segmentation service does not answer: HTTP 503. Only segments that campaigns and saved audiences use are listed.',
    ),
  ).toBeDefined();
});

test('name, owner and retention of a list can be changed, and an error is shown at its field', async () => {
  const wrong = [{ pointer: '/name', code: 'too_small', detail: 'has to have a letter' }];
  const { api, user } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Change…' }));
  const field = screen.getByLabelText(/^Name needed/);
  await user.clear(field);
  await user.type(field, '-');
  api.answer({ 'PATCH /v1/audiences/:id': () => problem(400, 'invalid-request', 'the request has problems', wrong) });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Has to have a letter')).toBeDefined();
  api.answer({ 'PATCH /v1/audiences/:id': partners });
  await user.clear(field);
  await user.type(field, 'Gold tier');
  await user.clear(screen.getByLabelText('Owner'));
  await user.click(screen.getByLabelText(/^Keep it, whatever its age/));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo('PATCH /v1/audiences/aud_partners').at(-1)?.body).toEqual({
    name: 'Gold tier',
    owner: null,
    kept: true,
  });
});

test('a list is deleted after a confirmation, and a list in use names what uses it', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: /^More about hcmc/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete…' }));
  expect(screen.getByText(/^2 campaigns use it/)).toBeDefined();
  const detail = 'aud_partners is named by cmp_gift, which is scheduled or runs';
  api.answer({ 'DELETE /v1/audiences/:id': () => problem(409, 'audience-in-use', detail) });
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  expect((await screen.findByRole('alert')).textContent).toBe(detail);
  api.answer({ 'DELETE /v1/audiences/:id': () => new Response(null, { status: 204 }) });
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
});

test('a viewer sees lists and cannot change them', async () => {
  await openConsole(path, { answers, role: 'viewer' });
  for (const name of ['Change…', 'Upload a list'])
    expect((await screen.findByRole('button', { name })).getAttribute('aria-disabled')).toBe('true');
  expect(screen.queryByRole('link', { name: 'Use in a campaign' })).toBeNull();
  for (const name of [/^New/, /^More about/]) expect(screen.queryByRole('button', { name })).toBeNull();
});

test('an empty list explains audiences', async () => {
  await openConsole('/audiences');
  expect(await screen.findByText('No audiences yet')).toBeDefined();
});

describe('a new audience', () => {
  const made = { ...savedRiders, id: 'sav_new', name: 'Airport', usedBy: 0, latestUse: null };

  async function openForm(more: Answers = {}) {
    const opened = await openConsole('/audiences', { answers: { ...answers, ...more } });
    await opened.user.click(await screen.findByRole('button', { name: /^New audience/ }));
    await opened.user.click(screen.getByRole('menuitem', { name: 'Combine sources…' }));
    return opened;
  }

  test('combines sources, is saved under a name, and is shown', async () => {
    const { api, user, address } = await openForm({
      'GET /v1/audiences': { ...namedList, items: [named.partners] },
      'POST /v1/audiences': () => Response.json({ ...made, warnings: [] }, { status: 201 }),
      'GET /v1/audiences/sav_new': made,
    });
    const dialog = within(screen.getByRole('dialog', { name: 'New audience' }));
    const save = dialog.getByRole('button', { name: 'Save' });
    expect(save.getAttribute('aria-disabled')).toBe('true');
    await user.type(dialog.getByLabelText(/^Name needed/), ' Airport ');
    await user.type(dialog.getByLabelText('Owner'), 'wallet');
    await user.click(dialog.getByRole('button', { name: 'Add Singapore' }));
    await user.click(dialog.getByRole('button', { name: 'Include a segment' }));
    await user.type(dialog.getByRole('combobox', { name: 'Segment' }), 'lapsed-riders{Enter}');
    await user.click(dialog.getByRole('button', { name: 'Exclude a list' }));
    await user.selectOptions(dialog.getByRole('combobox', { name: 'List' }), partners.id);
    await user.click(dialog.getByRole('button', { name: 'Add' }));
    await user.click(save);
    await waitFor(() => expect(address()).toBe('/audiences?id=sav_new'));
    expect(api.requestsTo('POST /v1/audiences').at(-1)?.body).toEqual({
      name: 'Airport',
      owner: 'wallet',
      countries: ['SG'],
      audience: { include: [{ segment: 'lapsed-riders' }], exclude: [{ list: 'aud_partners' }] },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('shows an error at its source', async () => {
    const wrong = [
      { pointer: '/audience/include/0/segment', code: 'unknown-segment', detail: 'there is no segment "x"' },
    ];
    const { user } = await openForm({
      'POST /v1/audiences': () => problem(422, 'invalid-request', 'the request has problems', wrong),
    });
    const dialog = within(screen.getByRole('dialog'));
    await user.type(dialog.getByLabelText(/^Name needed/), 'x');
    await user.click(dialog.getByRole('button', { name: 'Add Singapore' }));
    await user.click(dialog.getByRole('button', { name: 'Include a segment' }));
    await user.type(dialog.getByRole('combobox', { name: 'Segment' }), 'x');
    await user.click(dialog.getByRole('button', { name: 'Add' }));
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    const group = within(dialog.getByRole('group', { name: /^Include any of/ }));
    expect(await group.findByText('There is no segment "x"')).toBeDefined();
  });

  test('can also be an uploaded list', async () => {
    const { user } = await openConsole('/audiences', { answers });
    await user.upload(await screen.findByLabelText('File with a list of users'), new File(['a'], 'riders.csv'));
    expect(screen.getByRole('group', { name: 'Upload riders.csv' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: /^New audience/ }));
    expect(screen.getByRole('menuitem', { name: 'Upload a list…' })).toBeDefined();
  });
});

test('a segment that is not on the page is requested', async () => {
  const { api } = await openConsole('/audiences?id=staff&of=segment', {
    answers: {
      ...answers,
      'GET /v1/audiences': ({ query }: FakeRequest) =>
        Response.json({ ...namedList, items: 'id' in query ? [named.staff] : [named.cut] }),
    },
  });
  expect(await screen.findByText(/^users, counted exactly in SG/)).toBeDefined();
  const queries = api.requestsTo('GET /v1/audiences').map(({ query }) => query);
  expect(queries).toContainEqual({ id: 'staff', kind: 'segment', limit: '1' });
  const uses = screen.getByRole('region', { name: 'Used by' });
  expect(within(uses).getByText('9 campaigns')).toBeDefined();
});

test('an unknown segment shows a message', async () => {
  await openConsole('/audiences?id=nobody&of=segment', { answers });
  expect(await screen.findByText('No such segment')).toBeDefined();
});

const segmentPath = '/audiences?id=lapsed-riders&of=segment';

test('a segment is counted exactly, with its progress, and so is its overlap with another source', async () => {
  const { api, user } = await openConsole(segmentPath, {
    answers: {
      ...answers,
      'POST /v1/audiences/exact-counts': ({ body }: FakeRequest) =>
        Response.json(isOverlap(body) ? overlap : counting, { status: 201 }),
      'GET /v1/audiences/exact-counts/cnt_1': counting,
      'GET /v1/audiences/exact-counts/cnt_2': overlap,
    },
  });
  await screen.findByRole('heading', { name: 'Lapsed riders' });
  const { body } = document;
  expect(screen.getByText('users, estimated by the segmentation service')).toBeDefined();
  await user.click(within(body).getByRole('button', { name: 'Count exactly' }));
  expect(await within(body).findByText('0 of 2 countries read · SG 1,200 so far · VN not started')).toBeDefined();
  expect(api.requestsTo('POST /v1/audiences/exact-counts')[0]?.body).toEqual({
    countries: ['SG', 'VN'],
    audience: { include: [{ segment: 'lapsed-riders' }] },
    recount: false,
  });
  api.answer({ 'GET /v1/audiences/exact-counts/cnt_1': counted });
  expect(await within(body).findByText('1,700')).toBeDefined();
  expect(body.textContent).toContain('in 8 s');
  expect(body.textContent).toContain('SG 1,400 · VN 300');

  await user.click(within(body).getByRole('button', { name: 'Overlap with a segment' }));
  await user.type(within(body).getByRole('combobox', { name: 'Segment' }), 'staff{Enter}');
  const bar = await within(body).findByRole('img', { name: '1,300 only here, 400 in both, 500 only there' });
  expect(bar.children).toHaveLength(3);
  expect(body.textContent).toContain('23.5 % of these are in both.');
});

test('a running count can be cancelled, and a refused one shows the reason', async () => {
  const { api, user } = await openConsole(segmentPath, {
    answers: {
      ...answers,
      'POST /v1/audiences/exact-counts': counting,
      'GET /v1/audiences/exact-counts/cnt_1': counting,
      'POST /v1/audiences/exact-counts/cnt_1/cancel': { ...counting, state: 'cancelled' },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Count exactly' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText(/^The count was cancelled at 1,200 users/)).toBeDefined();
  const detail = 'the segmentation service does not answer';
  const errors = [{ pointer: '/audience/include/0', code: 'unverified-segment', detail }];
  api.answer({ 'POST /v1/audiences/exact-counts': () => problem(409, 'not-countable-now', 'not now', errors) });
  await user.click(screen.getByRole('button', { name: 'Count exactly' }));
  expect((await screen.findByRole('alert')).textContent).toBe('The segmentation service does not answer.');
});

function isOverlap(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'with' in body;
}
