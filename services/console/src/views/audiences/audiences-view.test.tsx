// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cutList, partners, rejects } from '../../testing/audiences.ts';
import { campaigns } from '../../testing/campaign-list.ts';
import { counted, counting, overlap } from '../../testing/counts.ts';
import { problem, type Asked } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';

const answers = {
  'GET /v1/audiences': { items: [cutList, partners], next: null },
  'GET /v1/audiences/counts': { all: 2, withRejects: 1, notUsed: 0, failed: 1 },
  'GET /v1/audiences/aud_partners': partners,
  'GET /v1/audiences/aud_cut': cutList,
  'GET /v1/audiences/:id/rejects': rejects,
  'PATCH /v1/audiences/:id': partners,
  'DELETE /v1/audiences/:id': () => new Response(null, { status: 204 }),
};
const path = '/audiences?id=aud_partners';

test('a list says how many it has, what fell out of its file and why, and who uses it', async () => {
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
  expect(await within(uses).findByText('running, leaves it out')).toBeDefined();
  expect(api.askedFor('GET /v1/campaigns').at(-1)?.query).toMatchObject({ list: 'aud_partners' });
  expect(screen.getByRole('link', { name: 'Use it…' }).getAttribute('href')).toBe('/campaigns/new?list=aud_partners');
});

test('a list that failed says why, and nothing can use it', async () => {
  await openConsole('/audiences', { answers });
  expect(await screen.findByText(/^The upload was cut after 604 lines\./)).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Use it…' })).toBeNull();
  expect(screen.getByText('No campaign names it.')).toBeDefined();
});

test('choice and search go into the address and to the API', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: /^With bad lines/ }));
  await waitFor(() => expect(address()).toBe('/audiences?show=bad-lines'));
  await waitFor(() => expect(api.askedFor('GET /v1/audiences').at(-1)?.query).toMatchObject({ rejected: 'true' }));
  api.answer({ 'GET /v1/audiences': { items: [], next: null } });
  await user.type(screen.getByPlaceholderText('Name'), 'vip{Enter}');
  expect(await screen.findByText('Called “vip”, with bad lines.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
});

test('a list is renamed; what is wrong with a name stands at it', async () => {
  const wrong = [{ pointer: '/name', code: 'too_small', detail: 'has to have a letter' }];
  const { api, user } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Rename…' }));
  const field = screen.getByLabelText(/^Name needed/);
  await user.clear(field);
  api.answer({ 'PATCH /v1/audiences/:id': () => problem(400, 'invalid-request', 'the request has problems', wrong) });
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  expect(await screen.findByText('Has to have a letter')).toBeDefined();
  api.answer({ 'PATCH /v1/audiences/:id': partners });
  await user.type(field, 'Gold tier');
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.askedFor('PATCH /v1/audiences/aud_partners').at(-1)?.body).toEqual({ name: 'Gold tier' });
});

test('a list is deleted only when that is meant; one that is needed says by what', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Delete…' }));
  expect(screen.getByText(/^2 campaigns name it/)).toBeDefined();
  const detail = 'aud_partners is named by cmp_gift, which is scheduled or runs';
  api.answer({ 'DELETE /v1/audiences/:id': () => problem(409, 'audience-in-use', detail) });
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  expect((await screen.findByRole('alert')).textContent).toBe(detail);
  api.answer({ 'DELETE /v1/audiences/:id': () => new Response(null, { status: 204 }) });
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
});

test('a viewer sees lists, and may not touch them', async () => {
  await openConsole(path, { answers, role: 'viewer' });
  for (const name of ['Rename…', 'Delete…', 'Upload a list'])
    expect((await screen.findByRole('button', { name })).getAttribute('aria-disabled')).toBe('true');
  expect(screen.queryByRole('link', { name: 'Use it…' })).toBeNull();
});

test('where there is no list, what comes here is said', async () => {
  await openConsole('/audiences');
  expect(await screen.findByText('No lists yet')).toBeDefined();
});

test('segments are shown with size and use, found by name, and used from there', async () => {
  const { api, user, address } = await openConsole('/audiences', { answers });
  await user.click(await screen.findByRole('button', { name: 'Segments' }));
  await waitFor(() => expect(address()).toBe('/audiences?of=segments'));
  const row = await screen.findByRole('row', { name: /^Lapsed riders.*125,000 SG, VN 3 campaigns/ });
  expect(within(row).getByRole('link', { name: '3 campaigns' }).getAttribute('href')).toBe(
    '/campaigns?segment=lapsed-riders',
  );
  expect(within(row).getByRole('link', { name: 'Use Lapsed riders' }).getAttribute('href')).toBe(
    '/campaigns/new?segment=lapsed-riders',
  );
  expect(await screen.findByRole('row', { name: /^staff not known not said not used/ })).toBeDefined();
  await user.type(screen.getByPlaceholderText('Name or id'), 'rid{Enter}');
  await waitFor(() => expect(api.askedFor('GET /v1/segments').at(-1)?.query).toMatchObject({ q: 'rid' }));
});

test('a segment is counted exactly, with how far it is, and so is its overlap with another source', async () => {
  const { api, user } = await openConsole('/audiences?of=segments', {
    answers: {
      ...answers,
      'POST /v1/audience-counts': ({ body }: Asked) =>
        Response.json(isOverlap(body) ? overlap : counting, { status: 201 }),
      'GET /v1/audience-counts/cnt_1': counting,
      'GET /v1/audience-counts/cnt_2': overlap,
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Lapsed riders' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByText('about 125,000 users, 3 campaigns')).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Count exactly' }));
  expect(await within(dialog).findByText('0 of 2 countries read · SG 1,200 so far · VN to come')).toBeDefined();
  expect(api.askedFor('POST /v1/audience-counts')[0]?.body).toEqual({
    ...{ countries: ['SG', 'VN'], audience: { include: [{ segment: 'lapsed-riders' }] }, anew: false },
  });
  api.answer({ 'GET /v1/audience-counts/cnt_1': counted });
  expect(await within(dialog).findByText('1,700')).toBeDefined();
  expect(dialog.textContent).toContain('in 8 s');
  expect(dialog.textContent).toContain('50 in several sources, served once · 10 left out');

  await user.click(within(dialog).getByRole('button', { name: 'Overlap with a segment' }));
  await user.type(within(dialog).getByRole('combobox', { name: 'Segment' }), 'staff{Enter}');
  const bar = await within(dialog).findByRole('img', { name: '1,300 only here, 400 in both, 500 only there' });
  expect(bar.children).toHaveLength(3);
  expect(dialog.textContent).toContain('23.5 % of these are in both.');
});

test('a count that is under way can be cancelled, and one that is refused says why', async () => {
  const { api, user } = await openConsole('/audiences?of=segments', {
    answers: {
      ...answers,
      'POST /v1/audience-counts': counting,
      'GET /v1/audience-counts/cnt_1': counting,
      'POST /v1/audience-counts/cnt_1/cancel': { ...counting, state: 'cancelled' },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Lapsed riders' }));
  await user.click(await screen.findByRole('button', { name: 'Count exactly' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText(/^Not counted: it was cancelled at 1,200 users/)).toBeDefined();
  const detail = 'the segmentation service does not answer';
  const errors = [{ pointer: '/audience/include/0', code: 'unverified-segment', detail }];
  api.answer({ 'POST /v1/audience-counts': () => problem(409, 'not-countable-now', 'not now', errors) });
  await user.click(screen.getByRole('button', { name: 'Count exactly' }));
  expect((await screen.findByRole('alert')).textContent).toBe('The segmentation service does not answer.');
});

function isOverlap(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'with' in body;
}
