// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { named, namedList, partners, rejects } from '../../../testing/audiences.ts';
import { campaigns } from '../../../testing/campaign-list.ts';
import { counted } from '../../../testing/counts.ts';
import { problem } from '../../../testing/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { savedRiders } from '../../../testing/saved-audiences.ts';

const path = '/audiences?id=sav_riders';

/** Whose sum is 1,500 and 300 less 60, 35 and 5. */
const ofRiders = {
  ...counted,
  audience: savedRiders.audience,
  parts: { include: [1500, 300], repeated: 60, exclude: [35], elsewhere: 5 },
};

async function sourceRows() {
  const table = await screen.findByRole('table', { name: 'Sources with their signs' });
  const rows = within(table).getAllByRole('row').slice(1);
  // Without the words of the signs, which screen readers have.
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

test('a saved audience says how many it is about, what it is made of, and who took it', async () => {
  const [first] = campaigns.items;
  const used = first && { ...first, savedAudience: { id: 'sav_riders', revision: 1 } };
  const { api } = await openConsole(path, {
    answers: { ...answers, 'GET /v1/campaigns': { items: [used], next: null } },
  });
  expect(await screen.findAllByText('124,880 to 125,000')).toHaveLength(3);
  expect(await sourceRows()).toEqual([
    '+ lapsed-riders segment about 125,000',
    '+ hcmc-airport…11-18.csv list of 41,206 lines 0',
    '− staff segment, left out about 120',
    '= Audience estimated 124,880 to 125,000',
  ]);
  expect(
    screen.getByText(/^How many of them are in several sources, and how many each − takes, is known/),
  ).toBeDefined();
  const uses = screen.getByRole('region', { name: 'Used by' });
  expect(await within(uses).findByText(/took revision 1$/)).toBeDefined();
  expect(api.askedFor('GET /v1/campaigns').at(-1)?.query).toMatchObject({ savedAudience: 'sav_riders' });
  expect(screen.getByRole('link', { name: 'Use it…' }).getAttribute('href')).toBe('/campaigns/new?saved=sav_riders');
});

test('it is counted exactly, as it is', async () => {
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
  expect(api.askedFor('POST /v1/audiences/exact-counts')[0]?.body).toEqual({ countries, audience, anew: false });
});

test('what was counted exactly before stands there with its age, in place of an estimate', async () => {
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': ofRiders } });
  expect(await screen.findByText(/^users, counted exactly as of/)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Count again' })).toBeDefined();
  expect(screen.queryByText('124,880 to 125,000')).toBeNull();
});

test('where it was counted, a signed sum leads from its sources to its users, and adds up', async () => {
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': ofRiders } });
  await screen.findByText('adds up');
  expect(await sourceRows()).toEqual([
    '+ lapsed-riders segment 1,500',
    '+ hcmc-airport…11-18.csv list of 41,206 lines 300',
    '− in both sources served once 60',
    '− staff segment, left out 35',
    '− in another country too counted there 5',
    '= Audience adds up 1,700',
  ]);
  expect(screen.queryByText(/^How many of them are in several sources/)).toBeNull();
});

test('a sum that does not add up is said, whatever else', async () => {
  const wrong = { ...ofRiders, users: 1699 };
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': wrong } });
  expect(await screen.findByText('does not add up')).toBeDefined();
});

test('while it is counted the sum is that of what was counted so far', async () => {
  const running = { ...ofRiders, state: 'running', endedAt: null };
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': running } });
  expect(await screen.findByText('so far')).toBeDefined();
});

test('a count without its parts makes up none: what each source has stands there, and why', async () => {
  const old = { ...ofRiders, parts: null };
  await openConsole(path, { answers: { ...countedBefore, 'GET /v1/audiences/exact-counts/cnt_1': old } });
  expect(await screen.findByText(/^This count was made without its parts\./)).toBeDefined();
  await screen.findByText('about 125,000');
  expect((await sourceRows()).some((row) => row.includes('adds up'))).toBe(false);
});

test('lines that fell out of a list that it takes in stand beside it, with what became of the file', async () => {
  await openConsole(path, { answers });
  const lines = within(await screen.findByRole('region', { name: 'Rejected lines' }));
  expect(lines.getByText(/^41,206 lines = 40,818 users \+ 164 repeated \+ 224 rejected\./)).toBeDefined();
  expect(lines.getByTitle(partners.name)).toBeDefined();
});

test('one that none took says so', async () => {
  await openConsole('/audiences?id=sav_wallets', { answers });
  expect(await screen.findByText('No campaign took it, or has its sources still.')).toBeDefined();
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
  await user.click(await within(revisions).findByRole('button', { name: 'What changed in revision 2' }));
  const dialog = await screen.findByRole('dialog', { name: 'What changed in revision 2' });
  expect(await within(dialog).findByRole('row', { name: /^Leave out not there/ })).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await user.click(within(revisions).getByRole('button', { name: 'Restore revision 1' }));
  await user.click(await screen.findByRole('button', { name: 'Restore it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.askedFor('POST /v1/audiences/sav_riders/revisions/1/restore')).toHaveLength(1);
});

test('it is changed as the revision that is shown, and refused where another came before', async () => {
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
  const asked = api.askedFor('PATCH /v1/audiences/sav_riders').at(-1);
  const audience = { include: [{ segment: 'lapsed-riders' }], exclude: [{ segment: 'staff' }] };
  const body = { name: 'Riders', owner: null, description: null, countries: ['SG', 'VN'], audience };
  expect([asked?.body, asked?.headers.get('if-match')]).toEqual([body, '"2"']);
});

test('before it is deleted, what took it is said', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: /^More about Lapsed/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete…' }));
  expect(screen.getByText(/^3 campaigns took it, at last “Payday, slowly”: they stay as they are/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
  expect(api.askedFor('DELETE /v1/audiences/sav_riders')).toHaveLength(1);
});

test('a viewer sees them, and may not touch, count or estimate them', async () => {
  const { api } = await openConsole(path, { answers, role: 'viewer' });
  for (const name of ['Change…', 'Count exactly']) {
    expect((await screen.findByRole('button', { name })).getAttribute('aria-disabled')).toBe('true');
  }
  expect(screen.queryByRole('link', { name: 'Use it…' })).toBeNull();
  expect(api.askedFor('POST /v1/audiences/sav_riders/estimate')).toEqual([]);
});
