// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { calendar } from '../../../testing/campaigns/calendar.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const path = '/calendar?week=2026-11-25';
const answers = { 'GET /v1/campaigns/calendar': calendar };

test('a week has a lane for each campaign, and a banner if two clash', async () => {
  const { api } = await openConsole(path, { answers });
  expect(await screen.findByText('4 campaigns, 5 runs')).toBeDefined();
  expect(screen.getByText('23 to 29 November 2026')).toBeDefined();
  const clash = screen.getByRole('alert');
  expect(clash.textContent).toContain('“Send a message” needs 250 users/s, but its fastest run did 200.');
  expect(clash.textContent).toContain('Late-night food push and Friday ride voucher wait for each other');
  const lanes = within(screen.getByRole('list', { name: 'Campaigns of this week' }));
  const done = lanes.getByRole('link', { name: /^Weekly reactivation, completed/ });
  expect(done.getAttribute('href')).toBe('/runs/run_weekly/report');
  expect(
    lanes.getByRole('link', {
      // The year is shown in other years.
      name: /^Year-end points gift, in review, Sun 29 Nov( 2026)?, 09:00 in each country · if approved$/,
    }),
  ).toBeDefined();
  expect(lanes.getByRole('link', { name: /^Friday ride voucher, scheduled/ }).className).toContain('clash');
  expect(api.requestsTo('GET /v1/campaigns/calendar').at(-1)?.query).toEqual({
    from: '2026-11-23T00:00:00.000Z',
    until: '2026-11-30T00:00:00.000Z',
  });
});

test('a lane shows how many users were at a cap in the newest dry run', async () => {
  await openConsole(path, { answers });
  const lanes = within(await screen.findByRole('list', { name: 'Campaigns of this week' }));
  const [atCap, ...others] = lanes.getAllByText(/ at a cap/);
  expect(others).toEqual([]);
  expect(atCap?.textContent).toBe('12,400 at a cap, by dry run');
  expect(atCap?.title).toMatch(/^Counted by the dry run that ended at Tue 24 Nov( 2026)?, 01:10$/);
});

test('the banner of a clash shows the late end and the delay', async () => {
  const capacities = [{ action: 'send-message', usersPerSecond: 180, by: 'limit' as const }];
  await openConsole(path, { answers: { 'GET /v1/campaigns/calendar': { ...calendar, capacities } } });
  expect((await screen.findByRole('alert')).textContent).toContain('and would be done at 06:16, 16 min 40 s late');
});

test('buttons and keys change the week, and filters are sent to the API', async () => {
  const { api, user, address } = await openConsole(path, { answers });
  await user.click(await screen.findByRole('button', { name: 'Next week' }));
  await waitFor(() => expect(address()).toBe('/calendar?week=2026-11-30'));
  await user.keyboard('[[');
  await waitFor(() => expect(address()).toBe('/calendar?week=2026-11-23'));
  await user.click(await screen.findByRole('button', { name: 'Country' }));
  await user.click(await screen.findByRole('menuitem', { name: 'ID' }));
  await waitFor(() => expect(api.requestsTo('GET /v1/campaigns/calendar').at(-1)?.query['country']).toBe('ID'));
  api.answer({ 'GET /v1/campaigns/calendar': { ...calendar, items: [] } });
  await user.keyboard(']');
  expect(await screen.findByText('No campaign of this week matches')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/calendar?week=2026-11-30'));
});

test('the calendar shows some of a thousand campaigns, and more on request', async () => {
  const [first] = calendar.items;
  const items = Array.from({ length: 1000 }, (_, n) => ({ ...(first ?? expect.fail()), campaignId: `cmp_${n}` }));
  const { user } = await openConsole(path, {
    answers: { 'GET /v1/campaigns/calendar': { ...calendar, items, isCut: true } },
  });
  const lanes = await screen.findByRole('list', { name: 'Campaigns of this week' });
  expect(within(lanes).getAllByRole('listitem')).toHaveLength(60);
  expect(screen.getByText(/^Not all campaigns are shown/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: '60 more of 940' }));
  expect(within(lanes).getAllByRole('listitem')).toHaveLength(120);
});

test('a calendar that cannot be loaded shows the reason', async () => {
  await openConsole(path, {
    answers: { 'GET /v1/campaigns/calendar': () => problem(400, 'invalid-request', 'the time is too long') },
  });
  expect(await screen.findByText('The calendar could not be read')).toBeDefined();
});

test('an empty week explains what is listed here', async () => {
  await openConsole(path, { answers: { 'GET /v1/campaigns/calendar': { ...calendar, items: [] } } });
  expect(await screen.findByText(/^No runs and no planned starts/)).toBeDefined();
});
