// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { settlement } from '../../../testing/callbacks/schedules.ts';

const none = { items: [], next: null };

describe('the list of schedules', () => {
  test('shows rules in words, their owners, and the details of one schedule', async () => {
    await openConsole('/schedules');
    const row = await screen.findByRole('row', { name: /Close the day/ });
    expect(within(row).getByText('At 22:00')).toBeDefined();
    expect(await within(row).findByText('client shop, groups SG, ID')).toBeDefined();
    const panel = screen.getByRole('region', { name: 'Quarter-hour settlement' });
    expect(await within(panel).findByText('shifted')).toBeDefined();
    expect(await within(panel).findByText(/skipped: the previous one was still running/)).toBeDefined();
    expect(within(panel).getByRole('link', { name: 'its job' }).getAttribute('href')).toBe('/jobs/job_dead');
  });

  test('stores filters in the address and sends them to the API, a client by its id', async () => {
    const { api, user, address } = await openConsole('/schedules');
    await screen.findByRole('row', { name: /Close the day/ });
    await user.click(screen.getByRole('button', { name: 'Paused' }));
    await user.click(screen.getByRole('button', { name: 'Client' }));
    await user.click(screen.getByRole('menuitem', { name: 'billing' }));
    await user.type(screen.getByRole('searchbox'), 'close');
    await waitFor(() => expect(address()).toContain('text=close'));
    await waitFor(() =>
      expect(api.requestsTo('GET /v1/schedules').at(-1)?.query).toMatchObject({
        state: 'paused',
        clientId: 'cli_billing',
        q: 'close',
      }),
    );
  });

  test.each([
    ['an empty list', '/schedules', none, 'No schedules yet'],
    ['no match', '/schedules?text=x', none, 'Name “x”.'],
    ['a failed request', '/schedules', () => problem(400, 'invalid-request', 'no'), 'The schedules could not be read'],
  ])('shows %s', async (_, path, answer, words) => {
    await openConsole(path, { answers: { 'GET /v1/schedules': answer } });
    expect(await screen.findByText(words)).toBeDefined();
  });
});

describe('a schedule', () => {
  test.each([
    ['Run now…', 'Run now', 'run-now', { fired: [], alreadyFired: 0 }],
    ['Pause Quarter-hour settlement', 'Pause it', 'pause', settlement],
  ])('sends %s after a confirmation', async (button, confirm, verb, answer) => {
    const route = `POST /v1/schedules/sch_settle/${verb}`;
    const { api, user } = await openConsole('/schedules', { answers: { [route]: answer } });
    await user.click(await screen.findByRole('button', { name: button }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: confirm }));
    await waitFor(() => expect(api.requestsTo(route)).toHaveLength(1));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('is shown by its id even if it is not on the page of the list', async () => {
    const paused = { ...settlement, id: 'sch_far', name: 'Far away', state: 'paused', nextAt: null };
    const { api, user } = await openConsole('/schedules?id=sch_far', {
      answers: { 'GET /v1/schedules/sch_far': paused, 'POST /v1/schedules/sch_far/resume': paused },
    });
    await screen.findByRole('region', { name: 'Far away' });
    await user.click(screen.getByRole('button', { name: 'Resume…' }));
    await user.click(screen.getByRole('button', { name: 'Resume it' }));
    await waitFor(() => expect(api.requestsTo('POST /v1/schedules/sch_far/resume')).toHaveLength(1));
  });

  test('needs the role manager if it belongs to a campaign', async () => {
    await openConsole('/schedules?id=sch_campaign', {
      role: 'scheduler',
      answers: {
        'GET /v1/schedules/sch_campaign': { ...settlement, id: 'sch_campaign', target: null, campaignId: 'cmp_live' },
      },
    });
    const panel = await screen.findByRole('link', { name: 'its campaign' });
    expect(panel.getAttribute('href')).toBe('/campaigns/cmp_live');
    const now = screen.getByRole('button', { name: 'Run now…' });
    now.focus();
    expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role manager');
  });
});

test('a new schedule is created after a preview of its next fires', async () => {
  const { api, user, address } = await openConsole('/schedules?client=shop', {
    answers: { 'POST /v1/schedules': settlement },
  });
  await screen.findByRole('row', { name: /Close the day/ });
  await user.click(screen.getByRole('button', { name: /New schedule/ }));
  const dialog = await screen.findByRole('dialog', { name: 'New schedule' });
  await user.type(within(dialog).getByLabelText(/^Name/), 'Close the day');
  await user.type(within(dialog).getByLabelText(/^URL/), 'https://shop.example/close');
  await user.type(within(dialog).getByLabelText(/^Groups/), 'SG ID');
  expect(await within(dialog).findByRole('table', { name: 'The next starts' })).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(address()).toContain('id=sch_settle'));
  expect(api.requestsTo('POST /v1/schedules')[0]?.body).toMatchObject({
    name: 'Close the day',
    cron: '0 9 * * MON',
    zone: 'UTC',
    groups: { names: ['SG', 'ID'] },
    target: { client: 'shop', url: 'https://shop.example/close' },
  });
});

test('groups are listed and changed', async () => {
  const { api, user } = await openConsole('/schedules', { answers: { 'PUT /v1/groups/SG': {} } });
  await user.click(await screen.findByRole('button', { name: 'Groups…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Groups' });
  await user.click(await within(dialog).findByRole('button', { name: 'Change SG' }));
  await user.type(within(dialog).getByLabelText(/^Home region/), 'east');
  await user.click(within(dialog).getByRole('button', { name: 'Save the group' }));
  await waitFor(() =>
    expect(api.requestsTo('PUT /v1/groups/SG')[0]?.body).toEqual({
      homeRegion: 'east',
      fallbackSeconds: 60,
      tags: ['rides'],
      countries: ['SG'],
    }),
  );
});

test('work calendars are listed and changed, and a schedule can use one', async () => {
  const { api, user } = await openConsole('/schedules', {
    answers: { 'PUT /v1/work-calendars/SG': {}, 'POST /v1/schedules': settlement },
  });
  await user.click(await screen.findByRole('button', { name: 'Days off…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Work calendars' });
  await user.click(await within(dialog).findByRole('button', { name: 'Change SG' }));
  await user.click(await within(dialog).findByLabelText('Sun'));
  await user.type(within(dialog).getByLabelText(/^Dates/), '\n2027-01-01');
  await user.click(within(dialog).getByRole('button', { name: 'Save the calendar' }));
  await waitFor(() =>
    expect(api.requestsTo('PUT /v1/work-calendars/SG')[0]?.body).toEqual({
      weekDaysOff: ['SAT'],
      dates: [{ date: '2026-12-25', name: 'Christmas Day' }, { date: '2027-01-01' }],
    }),
  );
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));

  await user.click(screen.getByRole('button', { name: /New schedule/ }));
  const made = await screen.findByRole('dialog', { name: 'New schedule' });
  await user.type(within(made).getByLabelText(/^Name/), 'Close the day');
  await user.selectOptions(await within(made).findByLabelText('Days off'), 'SG');
  await user.selectOptions(await within(made).findByLabelText('On a day off'), 'after');
  await user.selectOptions(within(made).getByLabelText(/^Client/), 'shop');
  await user.click(within(made).getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(api.requestsTo('POST /v1/schedules')[0]?.body).toMatchObject({ workCalendar: 'SG', onDayOff: 'after' }),
  );
});
