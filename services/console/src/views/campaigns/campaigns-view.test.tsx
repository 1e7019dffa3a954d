// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { campaigns, counts } from '../../../testing/campaigns/campaign-list.ts';
import { problem, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const empty = { items: [], next: null };

test('the list shows the state, the users and the next time of each campaign', async () => {
  await openConsole('/campaigns');
  const row = await screen.findByRole('row', { name: /Payday, slowly/ });
  expect(within(row).getByText('Running')).toBeDefined();
  expect(row.textContent).toContain('of about 19,500');
  expect(screen.getByRole('row', { name: /A draft/ }).textContent).toContain('Not scheduled');
  expect(screen.getAllByText(/3 of 3 campaigns/)).toHaveLength(1);
});

test('a thousand campaigns are loaded page by page', async () => {
  const [first] = campaigns.items;
  const pageOf = ({ query }: FakeRequest) => ({
    items: Array.from({ length: Number(query['limit']) }, (_, n) => ({
      ...first,
      id: `cmp_${n}`,
      name: `Number ${n}`,
    })),
    next: 'the-next-page',
  });
  const all = { ...counts, all: 1000, running: 1000 };
  const { api, user } = await openConsole('/campaigns', {
    answers: { 'GET /v1/campaigns': pageOf, 'GET /v1/campaigns/counts': all },
  });
  await screen.findByText(/^20 of 1,000 campaigns/);
  expect(document.querySelectorAll('tr[data-row]')).toHaveLength(20);
  expect(document.querySelectorAll('*').length).toBeLessThan(3500);
  await user.click(screen.getByRole('button', { name: 'Next' }));
  await waitFor(() => expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query['cursor']).toBe('the-next-page'));
  expect(document.querySelectorAll('tr[data-row]')).toHaveLength(20);
});

describe('the address and the requests of the list of campaigns', () => {
  test('contain the sort order until the default is restored', async () => {
    const { api, user, address } = await openConsole('/campaigns');
    const sortedBy = () =>
      screen
        .getAllByRole('columnheader')
        .filter((head) => head.getAttribute('aria-sort') !== null)
        .map((head) => head.textContent);
    await user.click(await screen.findByRole('button', { name: /^ETA, next run or end/ }));
    await waitFor(() => expect(address()).toContain('sort=next'));
    await waitFor(() => expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query['sort']).toBe('next'));
    expect(sortedBy()).toEqual([expect.stringContaining('ETA')]);
    await user.click(screen.getByRole('button', { name: 'State' }));
    // The first response is still fresh, so it is not requested again.
    await waitFor(() => expect(sortedBy()).toEqual([expect.stringContaining('State')]));
    expect(api.requestsTo('GET /v1/campaigns').at(0)?.query['sort']).toBe('state');
    expect(address()).toBe('/campaigns');
  });

  test('contain the chosen state until all states are chosen', async () => {
    const { api, user, address } = await openConsole('/campaigns');
    await user.click(await screen.findByRole('button', { name: /^Running/ }));
    await waitFor(() => expect(address()).toBe('/campaigns?state=running'));
    await waitFor(() => expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query['state']).toBe('running'));
    await user.click(screen.getByRole('button', { name: /^All/ }));
    await waitFor(() => expect(address()).toBe('/campaigns'));
  });

  test('contain the search text once typing stops', async () => {
    const { api, user, address } = await openConsole('/campaigns');
    await user.type(await screen.findByPlaceholderText('Name, id or description'), 'payday');
    await waitFor(() => expect(address()).toBe('/campaigns?text=payday'));
    await waitFor(() =>
      expect(Object.values(api.requestsTo('GET /v1/campaigns').at(-1)?.query ?? {})).toContain('payday'),
    );
  });

  test('contain the country chosen from a menu until it is cleared', async () => {
    const { user, address } = await openConsole('/campaigns');
    await user.click(await screen.findByRole('button', { name: 'Country' }));
    await user.click(await screen.findByRole('menuitem', { name: 'VN' }));
    await waitFor(() => expect(address()).toBe('/campaigns?country=VN'));
    await user.click(screen.getByRole('button', { name: 'Clear Country VN' }));
    await waitFor(() => expect(address()).toBe('/campaigns'));
  });

  test('contain the tag chosen from a menu', async () => {
    const items = campaigns.items.map((each) => ({ ...each, tags: ['payday'] }));
    const { api, user, address } = await openConsole('/campaigns', {
      answers: { 'GET /v1/campaigns': { ...campaigns, items } },
    });
    await screen.findByRole('row', { name: /Payday, slowly/ });
    await user.click(screen.getByRole('button', { name: 'Tag' }));
    await user.click(await screen.findByRole('menuitem', { name: 'payday' }));
    await waitFor(() => expect(address()).toBe('/campaigns?tag=payday'));
    await waitFor(() => expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query['tag']).toBe('payday'));
  });

  test('contain the cursor of the next page', async () => {
    const { user, address } = await openConsole('/campaigns', {
      answers: { 'GET /v1/campaigns': { ...campaigns, next: 'page-2' } },
    });
    await screen.findByRole('row', { name: /Payday, slowly/ });
    await user.keyboard(']');
    await waitFor(() => expect(address()).toContain('cursor=page-2'));
  });
});

test('a list without a match names its filters and offers to drop the narrowest', async () => {
  const { user, address } = await openConsole('/campaigns?state=paused&text=payday', {
    answers: { 'GET /v1/campaigns': empty },
  });
  await screen.findByText('No campaign matches');
  expect(screen.getByText(/Matching “payday”, paused/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Drop “paused”' }));
  await waitFor(() => expect(address()).toBe('/campaigns?text=payday'));
  await user.click(await screen.findByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/campaigns'));
});

test('an empty list explains campaigns and offers to create one', async () => {
  const { user, address } = await openConsole('/campaigns', {
    answers: { 'GET /v1/campaigns': empty, 'GET /v1/campaigns/counts': { ...counts, all: 0 } },
  });
  const panel = (await screen.findByText('No campaigns yet')).parentElement;
  if (!panel) throw new Error('the state message is missing');
  expect(
    within(panel).getByText(/A campaign has an audience, steps such as a reward and a message, and a start/),
  ).toBeDefined();
  expect(panel.textContent).not.toContain('muster ');
  await user.click(within(panel).getByRole('button', { name: /New campaign/ }));
  await waitFor(() => expect(address()).toBe('/campaigns/new'));
});

test('a list that cannot be loaded shows the error and a button that retries', async () => {
  const { api, user } = await openConsole('/campaigns', {
    answers: { 'GET /v1/campaigns': () => problem(403, 'forbidden', 'this key may not list campaigns') },
  });
  expect(await screen.findByText('This key may not list campaigns.')).toBeDefined();
  api.answer({ 'GET /v1/campaigns': () => problem(400, 'invalid-request', 'the cursor is not known') });
  await user.click(screen.getByRole('button', { name: /^Ended/ }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The cursor is not known. Nothing was changed.');
  api.answer({ 'GET /v1/campaigns': campaigns });
  await user.click(within(alert).getByRole('button', { name: 'Try again' }));
  await screen.findByRole('row', { name: /Payday, slowly/ });
});

test('the menu of a row links to the pages and actions of its campaign', async () => {
  const { user, address } = await openConsole('/campaigns');
  const row = await screen.findByRole('row', { name: /Payday, slowly/ });
  await user.click(within(row).getByRole('button', { name: 'More about Payday, slowly' }));
  const items = within(row).getAllByRole('menuitem');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'Open the campaign',
    'Last run',
    'Report of the last run',
    'Failures of the last run',
    'Duplicate',
  ]);
  await user.click(within(row).getByRole('menuitem', { name: 'Duplicate' }));
  await waitFor(() => expect(address()).toBe('/campaigns/new?copy=cmp_live'));
});

test('a viewer cannot create or duplicate a campaign, and sees the required role', async () => {
  const { user } = await openConsole('/campaigns', { role: 'viewer' });
  const row = await screen.findByRole('row', { name: /A draft/ });
  await user.click(within(row).getByRole('button', { name: 'More about A draft' }));
  expect(within(row).queryByRole('menuitem', { name: 'Duplicate' })).toBeNull();
  const make = screen.getByRole('button', { name: /New campaign/ });
  expect(make.getAttribute('aria-disabled')).toBe('true');
  await user.hover(make);
  const tip = await screen.findByRole('tooltip');
  expect(tip.textContent).toBe('Needs the role manager; this key is a viewer');
  await user.unhover(make);
  await waitFor(() => expect(screen.queryByRole('tooltip')).toBeNull());
});

test('an event of the stream updates the list and keeps its rows', async () => {
  const { api } = await openConsole('/campaigns');
  const row = await screen.findByRole('row', { name: /Payday, slowly/ });
  const requestsBefore = api.requestsTo('GET /v1/campaigns').length;
  api.sendEvent('campaigns', counts);
  await waitFor(() => expect(api.requestsTo('GET /v1/campaigns').length).toBeGreaterThan(requestsBefore));
  expect(await screen.findByText(/^updated \d+ s ago/)).toBeDefined();
  expect(row.isConnected).toBe(true);
});
