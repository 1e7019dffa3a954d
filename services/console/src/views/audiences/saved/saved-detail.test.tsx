// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { named, namedList, partners, rejects } from '../../../../testing/audiences/audiences.ts';
import { campaigns } from '../../../../testing/campaigns/campaign-list.ts';
import { counted } from '../../../../testing/audiences/counts.ts';
import { problem } from '../../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../../testing/open-console.tsx';
import { savedRiders } from '../../../../testing/audiences/saved-audiences.ts';

const path = '/audiences?id=sav_riders';

/** A count with the sum 1,500 + 300 − 60 − 35 − 5. */
const ridersCount = {
  ...counted,
  audience: savedRiders.audience,
  parts: { include: [1500, 300], repeated: 60, exclude: [35], elsewhere: 5 },
};

async function sourceRows() {
  const table = await screen.findByRole('table', { name: 'Sources with their signs' });
  const rows = within(table).getAllByRole('row').slice(1);
  // Removes the names of the signs, which are for screen readers.
  return rows.map((row) =>
    [...row.children]
      .map(({ textContent }) => textContent)
      .join(' ')
      .replace(/^(.)\w+/, '$1'),
  );
}

const answers = {
  'GET /v1/audiences/aud_partners': partners,
  'GET /v1/audiences/:id/rejects': rejects,
  'GET /v1/audiences': { ...namedList, items: [named.riders] },
  'GET /v1/audiences/:id/revisions': { items: [], next: null },
  'PATCH /v1/audiences/:id': { ...savedRiders, warnings: [] },
  'DELETE /v1/audiences/:id': () => new Response(null, { status: 204 }),
};
const size = { ...named.riders.size, exact: true, atLeast: 1700, atMost: 1700, countId: 'cnt_1' };
const countedBefore = { ...answers, 'GET /v1/audiences': { ...namedList, items: [{ ...named.riders, size }] } };

test('a saved audience shows its size, its sources and the campaigns that use it', async () => {
  const [first] = campaigns.items;
  const used = first && { ...first, savedAudience: { id: 'sav_riders', revision: 1 } };
  const { api } = await openConsole(path, {
    answers: { ...answers, 'GET /v1/campaigns': { items: [used], next: null } },
  });
  expect(await screen.findAllByText('124,880 to 125,000')).toHaveLength(3);
  expect(await sourceRows()).toEqual([
    '+ lapsed-riders segment about 125,000',
    '+ hcmc-airport…11-18.csv list of 41,206 lines 0',
    '− staff segment, excluded about 120',
    '= Audience estimated 124,880 to 125,000',
  ]);
  expect(screen.getByText(/^Count exactly to see how many users are in several sources/)).toBeDefined();
  const uses = screen.getByRole('region', { name: 'Used by' });
  expect(await within(uses).findByText(/uses revision 1$/)).toBeDefined();
  expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query).toMatchObject({ savedAudience: 'sav_riders' });
  expect(screen.getByRole('link', { name: 'Use in a campaign' }).getAttribute('href')).toBe(
    '/campaigns/new?saved=sav_riders',
  );
});

test('a saved audience is counted exactly with its countries and sources', async () => {
  const { api, user } = await openConsole(path, {
    answers: {
      ...answers,
      'POST /v1/audiences/exact-counts': counted,
      'GET /v1/audiences/exact-counts/cnt_1': counted,
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Count exactly' }));
  expect(await screen.findByText('1,700')).toBeDefined();
  const { countries, audience } = savedRiders;
  expect(api.requestsTo('POST /v1/audiences/exact-counts')[0]?.body).toEqual({ countries, audience, recount: false });
});

test('an earlier exact count is shown with its age instead of an estimate', async () => {
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': ridersCount } });
  expect(await screen.findByText(/^users, counted exactly as of/)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Count again' })).toBeDefined();
  expect(screen.queryByText('124,880 to 125,000')).toBeNull();
});

test('an exact count is shown as a sum of the sources that adds up', async () => {
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': ridersCount } });
  await screen.findByText('adds up');
  expect(await sourceRows()).toEqual([
    '+ lapsed-riders segment 1,500',
    '+ hcmc-airport…11-18.csv list of 41,206 lines 300',
    '− in both sources served once 60',
    '− staff segment, excluded 35',
    '− in another country too counted there 5',
    '= Audience adds up 1,700',
  ]);
  expect(screen.queryByText(/^Count exactly to see how many users/)).toBeNull();
});

test('a sum that does not add up is marked', async () => {
  const wrong = { ...ridersCount, users: 1699 };
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': wrong } });
  expect(await screen.findByText('does not add up')).toBeDefined();
});

test('a running count shows the sum so far', async () => {
  const running = { ...ridersCount, state: 'running', endedAt: null };
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': running } });
  expect(await screen.findByText('so far')).toBeDefined();
});

test('a count without figures by source shows each source with its own size', async () => {
  const old = { ...ridersCount, parts: null };
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': old } });
  expect(await screen.findByText(/^This count has no figures by source\./)).toBeDefined();
  await screen.findByText('about 125,000');
  expect((await sourceRows()).some((row) => row.includes('adds up'))).toBe(false);
});

test('rejected lines of an included list are shown, with the sum of its file', async () => {
  await openConsole(path, { answers });
  const lines = within(await screen.findByRole('region', { name: 'Rejected lines' }));
  expect(lines.getByText(/^41,206 lines = 40,818 users \+ 164 repeated \+ 224 rejected\./)).toBeDefined();
  expect(lines.getByTitle(partners.name)).toBeDefined();
});

test('a saved audience without uses shows a message', async () => {
  await openConsole('/audiences?id=sav_wallets', { answers });
  expect(await screen.findByText('No campaign uses its sources.')).toBeDefined();
});

test('an earlier revision is compared and restored', async () => {
  const createdAt = '2026-11-22T20:00:00.000Z';
  const items = [2, 1].map((revision) => ({ revision, name: 'Lapsed riders', createdAt }));
  const differences = [{ pointer: '/audience/exclude', after: [{ segment: 'staff' }] }];
  const { api, user } = await openConsole(path, {
    answers: {
      ...answers,
      'GET /v1/audiences/:id/revisions': { items, next: null },
      'GET /v1/audiences/:id/revisions/:revision/diff': { from: 1, to: 2, differences },
      'POST /v1/audiences/:id/revisions/:revision/restore': { ...savedRiders, revision: 3, warnings: [] },
    },
  });
  const revisions = await screen.findByRole('region', { name: 'Revisions' });
  await user.click(await within(revisions).findByRole('button', { name: 'Changes in revision 2' }));
  const dialog = await screen.findByRole('dialog', { name: 'Changes in revision 2' });
  expect(await within(dialog).findByRole('row', { name: /^Exclude not set/ })).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await user.click(within(revisions).getByRole('button', { name: 'Restore revision 1' }));
  await user.click(await screen.findByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo('POST /v1/audiences/sav_riders/revisions/1/restore')).toHaveLength(1);
});

test('a change is sent with the revision that was loaded, and refused after another change', async () => {
  const { api, user } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Change…' }));
  const field = screen.getByLabelText(/^Name needed/);
  await user.clear(field);
  await user.type(field, 'Riders');
  await user.click(screen.getByRole('button', { name: 'Remove list 2' }));
  await user.clear(screen.getByLabelText('Owner'));
  api.answer({ 'PATCH /v1/audiences/:id': () => problem(412, 'revised-since', 'it is at revision 3') });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect((await screen.findByRole('alert')).textContent).toBe('it is at revision 3');
  api.answer({ 'PATCH /v1/audiences/:id': { ...savedRiders, warnings: [] } });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const request = api.requestsTo('PATCH /v1/audiences/sav_riders').at(-1);
  const audience = { include: [{ segment: 'lapsed-riders' }], exclude: [{ segment: 'staff' }] };
  const body = { name: 'Riders', owner: null, description: null, countries: ['SG', 'VN'], audience };
  expect([request?.body, request?.headers.get('if-match')]).toEqual([body, '"2"']);
});

test('a deletion names the campaigns that use the audience before it is confirmed', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: /^More about Lapsed/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete…' }));
  expect(screen.getByText(/^3 campaigns use it, most recently “Payday, slowly”\. Campaigns keep copies/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
  expect(api.requestsTo('DELETE /v1/audiences/sav_riders')).toHaveLength(1);
});

test('a viewer cannot change, count or estimate a saved audience', async () => {
  const { api } = await openConsole(path, { answers, role: 'viewer' });
  for (const name of ['Change…', 'Count exactly']) {
    expect((await screen.findByRole('button', { name })).getAttribute('aria-disabled')).toBe('true');
  }
  expect(screen.queryByRole('link', { name: 'Use in a campaign' })).toBeNull();
  expect(api.requestsTo('POST /v1/audiences/sav_riders/estimate')).toEqual([]);
});
