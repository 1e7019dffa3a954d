// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { named, namedList, partners } from '../../../testing/audiences.ts';
import { campaigns } from '../../../testing/campaign-list.ts';
import { counted } from '../../../testing/counts.ts';
import { problem } from '../../../testing/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { savedRiders } from '../../../testing/saved-audiences.ts';

const path = '/audiences?id=sav_riders';
const answers = {
  'GET /v1/audiences': { items: [partners], next: null },
  'GET /v1/named-audiences': { ...namedList, items: [named.riders] },
  'PATCH /v1/saved-audiences/:id': { ...savedRiders, warnings: [] },
  'DELETE /v1/saved-audiences/:id': () => new Response(null, { status: 204 }),
};

test('a saved audience says how many it is about, what it is made of, and who took it', async () => {
  const [first] = campaigns.items;
  const used = first && { ...first, savedAudience: { id: 'sav_riders', revision: 1 } };
  const { api } = await openConsole(path, {
    answers: { ...answers, 'GET /v1/campaigns': { items: [used], next: null } },
  });
  expect(await screen.findAllByText('124,880 to 125,000')).toHaveLength(2);
  const sources = screen.getByRole('region', { name: 'Sources' });
  expect(
    within(sources)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual([
    expect.stringMatching(/^\+takes inlapsed-riders segment125,000 estimated/),
    expect.stringMatching(/^\+takes inhcmc-airport-partners.*list/),
    expect.stringMatching(/^−leaves outstaff segment120 estimated/),
  ]);
  const uses = screen.getByRole('region', { name: 'Used by' });
  expect(await within(uses).findByText(/took revision 1$/)).toBeDefined();
  expect(api.askedFor('GET /v1/campaigns').at(-1)?.query).toMatchObject({ savedAudience: 'sav_riders' });
  expect(screen.getByRole('link', { name: 'Use it…' }).getAttribute('href')).toBe('/campaigns/new?saved=sav_riders');
});

test('it is counted exactly, as it is', async () => {
  const { api, user } = await openConsole(path, {
    answers: { ...answers, 'POST /v1/audience-counts': counted, 'GET /v1/audience-counts/cnt_1': counted },
  });
  await user.click(await screen.findByRole('button', { name: 'Count exactly' }));
  expect(await screen.findByText('1,700')).toBeDefined();
  const { countries, audience } = savedRiders;
  expect(api.askedFor('POST /v1/audience-counts')[0]?.body).toEqual({ countries, audience, anew: false });
});

test('what was counted exactly before stands there with its age, in place of an estimate', async () => {
  const size = { ...named.riders.size, exact: true, atLeast: 124_900, atMost: 124_900 };
  await openConsole(path, {
    answers: { ...answers, 'GET /v1/named-audiences': { ...namedList, items: [{ ...named.riders, size }] } },
  });
  expect(await screen.findByText(/^users, counted exactly$/)).toBeDefined();
  expect(screen.getAllByText('124,900')).toHaveLength(2);
  expect(screen.queryByText('124,880 to 125,000')).toBeNull();
});

test('one that none took says so', async () => {
  await openConsole('/audiences?id=sav_wallets', { answers });
  expect(await screen.findByText('No campaign took it, or has its sources still.')).toBeDefined();
});

test('it is renamed as the revision that is shown, and refused where another came before', async () => {
  const { api, user } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Rename…' }));
  const field = screen.getByLabelText(/^Name needed/);
  await user.clear(field);
  await user.type(field, 'Riders');
  api.answer({ 'PATCH /v1/saved-audiences/:id': () => problem(412, 'revised-since', 'it is at revision 3') });
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  expect((await screen.findByRole('alert')).textContent).toBe('it is at revision 3');
  api.answer({ 'PATCH /v1/saved-audiences/:id': { ...savedRiders, warnings: [] } });
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const asked = api.askedFor('PATCH /v1/saved-audiences/sav_riders').at(-1);
  expect([asked?.body, asked?.headers.get('if-match')]).toEqual([{ name: 'Riders' }, '"2"']);
});

test('before it is deleted, what took it is said', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Delete…' }));
  expect(screen.getByText(/^3 campaigns took it, at last “Payday, slowly”: they stay as they are/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(address()).toBe('/audiences'));
  expect(api.askedFor('DELETE /v1/saved-audiences/sav_riders')).toHaveLength(1);
});

test('a viewer sees them, and may not touch, count or estimate them', async () => {
  const { api } = await openConsole(path, { answers, role: 'viewer' });
  for (const name of ['Rename…', 'Delete…', 'Count exactly']) {
    expect((await screen.findByRole('button', { name })).getAttribute('aria-disabled')).toBe('true');
  }
  expect(screen.queryByRole('link', { name: 'Use it…' })).toBeNull();
  expect(api.askedFor('POST /v1/saved-audiences/sav_riders/estimate')).toEqual([]);
});
