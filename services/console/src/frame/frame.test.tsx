// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { problem, type FakeRequest } from '../../testing/fakes/fake-api.ts';
import { answersFor, openConsole } from '../../testing/open-console.tsx';

describe('keyboard shortcuts', () => {
  test('open a view by G and a letter, lead up from a run by Escape, and open a new campaign by C', async () => {
    const { user, address } = await openConsole('/campaigns');
    await user.keyboard('gh');
    await waitFor(() => expect(address()).toBe('/shards'));
    await user.keyboard('gc');
    await waitFor(() => expect(address()).toBe('/campaigns'));
    await user.keyboard('c');
    await waitFor(() => expect(address()).toBe('/campaigns/new'));
    await screen.findByText('New campaign', { selector: '[aria-current=page]' });
    // The first Escape removes the focus from the field of the name.
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name of the campaign' }));
    await user.keyboard('{Escape}{Escape}');
    await waitFor(() => expect(address()).toBe('/campaigns'));
  });

  test('are listed by ?, with a switch that turns single keys off for this browser', async () => {
    const { user, address } = await openConsole('/campaigns');
    await user.keyboard('?');
    const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(within(dialog).getByText('New campaign')).toBeDefined();
    await user.click(within(dialog).getByRole('checkbox'));
    await user.click(within(dialog).getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.keyboard('gh');
    expect(address()).toBe('/campaigns');
    expect(localStorage.getItem('muster.single-keys')).toBe('off');
  });

  test('have no effect on the page while a dialog is open', async () => {
    const { user, address } = await openConsole('/campaigns');
    await user.keyboard('?');
    await screen.findByRole('dialog');
    await user.keyboard('c');
    expect(address()).toBe('/campaigns');
  });

  test('move between rows by J and K, and open a row by Enter', async () => {
    const { user, address } = await openConsole('/campaigns');
    await screen.findByRole('row', { name: /Payday, slowly/ });
    // happy-dom has no layout, so no row counts as visible, and the keys would skip all rows.
    for (const link of document.querySelectorAll('[data-row-link]')) {
      Object.assign(link, { getClientRects: () => [{}], scrollIntoView: () => undefined });
    }
    await user.keyboard('j');
    const first = document.querySelector('[data-row-link]');
    expect(document.activeElement).toBe(first);
    await user.keyboard('j');
    await user.keyboard('{ArrowUp}');
    expect(document.activeElement).toBe(first);
    await user.keyboard('{Enter}');
    await waitFor(() => expect(address()).not.toBe('/campaigns'));
  });

  test('switch by T to any zone that the user has chosen in the menu', async () => {
    const { user } = await openConsole('/campaigns');
    await user.click(screen.getByRole('button', { name: /theme, keys, log out$/ }));
    await user.click(screen.getByRole('menuitem', { name: /^Time zone/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Time zone' });
    const field = within(dialog).getByRole('combobox', { name: 'Another zone' });
    await user.clear(field);
    await user.type(field, 'Asia/Nowhere');
    expect(within(dialog).getByRole('button', { name: 'Use this zone' }).hasAttribute('disabled')).toBe(true);
    await user.clear(field);
    await user.type(field, 'Asia/Jakarta{Enter}');
    await waitFor(() => expect(screen.getByTitle('Switch the time zone (T)').textContent).toContain('Asia/Jakarta'));
    await user.keyboard('t');
    expect(screen.getByTitle('Switch the time zone (T)').textContent).not.toContain('Asia/Jakarta');
  });

  test('switch the time zone by T, and the browser keeps it', async () => {
    const { user } = await openConsole('/campaigns');
    expect(localStorage.getItem('muster.zone')).toBeNull();
    await user.keyboard('t');
    await user.click(screen.getByTitle('Switch the time zone (T)'));
    expect(Object.keys(localStorage)).toContain('muster.zone');
  });
});

describe('the search of the console', () => {
  test('opens the page of an id, and the campaign of a name', async () => {
    const one = { id: 'cmp_payday', title: 'Payday, slowly', state: null, campaignId: null, runId: null };
    const find = ({ query }: FakeRequest) => ({ items: query['q'] === 'payday' ? [{ kind: 'campaign', ...one }] : [] });
    const { user, address } = await openConsole('/shards', { answers: { 'GET /v1/find': find } });
    await user.keyboard('{Control>}k{/Control}');
    const dialog = await screen.findByRole('dialog', { name: 'Find or jump to' });
    const field = within(dialog).getByRole('combobox');
    expect(document.activeElement).toBe(field);
    await user.type(field, 'payday');
    await within(dialog).findByRole('option', { name: /Payday, slowly/ });
    await user.keyboard('{ArrowDown}{ArrowUp}{Enter}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_payday'));
  });

  test('opens the typed id on Enter, even before results arrive, and never an earlier result', async () => {
    const answered = Promise.withResolvers<null>();
    const campaign = (id: string, title: string) => ({
      items: [{ kind: 'campaign', id, title, state: null, campaignId: null, runId: null }],
    });
    const find = async ({ query }: FakeRequest) => {
      if (query['q'] !== 'lapsed') return campaign('cmp_last', 'The last one');
      await answered.promise;
      return campaign('cmp_lapsed', 'Lapsed riders');
    };
    const { user, address } = await openConsole('/shards', { answers: { 'GET /v1/find': find } });
    await user.keyboard('{Control>}k{/Control}');
    const dialog = await screen.findByRole('dialog', { name: 'Find or jump to' });
    await user.keyboard('la');
    await within(dialog).findByRole('option', { name: /The last one/ });
    await user.keyboard('psed{Enter}');
    expect(address()).toBe('/shards');
    answered.resolve(null);
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_lapsed'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('explains how ids begin if it finds nothing', async () => {
    const { user } = await openConsole('/shards');
    await user.click(await screen.findByRole('button', { name: 'Find or jump to' }));
    await user.type(within(await screen.findByRole('dialog')).getByRole('combobox'), 'zzz');
    expect(await screen.findByText(/Nothing is called “zzz”/)).toBeDefined();
  });
});

describe('an unreachable API', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('shows a message, keeps the page, and recovers without a reload', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const away = () => Response.json({}, { status: 503 });
    const { api } = await openConsole('/shards', { answers: { 'GET /v1/session': away } });
    expect(await screen.findByRole('alert')).toHaveProperty(
      'textContent',
      expect.stringContaining('answered with status 503'),
    );
    expect(document.body.textContent).not.toContain('[object');
    api.answer(answersFor('operator'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(await screen.findByRole('heading', { name: 'Shards' })).toBeDefined();
    expect(screen.queryByText(/could not be shown/)).toBeNull();
  });
});

describe('the account menu', () => {
  test('sets a theme for this browser, and resets it', async () => {
    const { user } = await openConsole('/campaigns');
    const account = screen.getByRole('button', { name: /growth-sea, operator/ });
    await user.click(account);
    await user.click(await screen.findByRole('menuitemradio', { name: 'Dark' }));
    expect(document.documentElement.dataset['theme']).toBe('dark');
    await user.click(account);
    const dark = await screen.findByRole('menuitemradio', { name: 'Dark' });
    expect(dark.getAttribute('aria-checked')).toBe('true');
    await user.click(screen.getByRole('menuitemradio', { name: 'Same as system' }));
    expect(document.documentElement.dataset['theme']).toBeUndefined();
  });

  test('opens the list of keys', async () => {
    const { user } = await openConsole('/campaigns');
    await user.click(screen.getByRole('button', { name: /growth-sea, operator/ }));
    await user.click(await screen.findByRole('menuitem', { name: /Keys/ }));
    await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  });

  test.each([
    ['Log out', 'DELETE /v1/session'],
    ['Log out everywhere', 'DELETE /v1/sessions'],
  ])('ends sessions by its entry "%s"', async (name, route) => {
    const { api, user } = await openConsole('/campaigns', {
      answers: { [route]: () => new Response(null, { status: 204 }) },
    });
    await user.click(screen.getByRole('button', { name: /growth-sea, operator/ }));
    await user.click(await screen.findByRole('menuitem', { name }));
    await waitFor(() => expect(api.requestsTo(route)).toHaveLength(1));
  });
});

test('the sidebar lists the views in this order, by groups, with these keys', async () => {
  const { user } = await openConsole('/campaigns');
  const sidebar = screen.getByRole('navigation', { name: 'Main' });
  const headings = ['Callbacks', 'Engine', 'System'];
  const lines = [...sidebar.querySelectorAll('a.nav, div')]
    .map((element) => (element.matches('a') ? element.getAttribute('href') : element.textContent))
    .filter((line) => line !== null && (line.startsWith('/') || headings.includes(line)));
  expect(lines).toEqual([
    ...['/campaigns', '/calendar', '/audiences', '/suppressions', '/templates', '/approvals'],
    ...['Callbacks', '/jobs', '/schedules', '/quarantine', '/clients'],
    ...['Engine', '/shards', '/scheduler', '/action-types', '/quiet-hours', '/caps'],
    ...['System', '/system', '/notifications', '/keys', '/audit'],
  ]);
  await user.keyboard('?');
  const keys = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).getByRole('region', {
    name: 'Go to',
  });
  expect([...keys.querySelectorAll('dl > div')].map((line) => line.textContent)).toEqual([
    ...['CampaignsGC', 'CalendarGL', 'AudiencesGA', 'ApprovalsGV', 'JobsGJ', 'SchedulesGS', 'QuarantineGD'],
    ...['ShardsGH', 'SchedulerGN', 'Action typesGT'],
  ]);
});

test('on a phone the navigation covers the page until an entry is chosen', async () => {
  const { user, address } = await openConsole('/campaigns');
  await user.click(screen.getByRole('button', { name: 'Open navigation' }));
  const drawer = await screen.findByRole('dialog', { name: 'Navigation' });
  await user.click(within(drawer).getByRole('link', { name: /Shards/ }));
  await waitFor(() => expect(address()).toBe('/shards'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('an unknown address shows that the page does not exist, with a link back', async () => {
  await openConsole('/nowhere');
  expect(await screen.findByText('This page does not exist')).toBeDefined();
});

test('the sidebar counts quarantined jobs, messages and steps together, with one request', async () => {
  const { api } = await openConsole('/campaigns', {
    answers: { 'GET /v1/quarantine/counts': { job: 4, message: 2, step: 1 } },
  });
  const [link] = await screen.findAllByRole('link', { name: /Quarantine, 7 wait for a decision/ });
  expect(link?.textContent).toContain('7');
  expect(api.requestsTo('GET /v1/quarantine/messages/groups')).toEqual([]);
});

test('the sidebar counts no quarantined items if the request is refused', async () => {
  await openConsole('/campaigns', {
    answers: { 'GET /v1/quarantine/counts': () => problem(403, 'forbidden', 'the key may not read it') },
  });
  const [link] = await screen.findAllByRole('link', { name: 'Quarantine' });
  expect(link?.textContent).toBe('Quarantine');
});
