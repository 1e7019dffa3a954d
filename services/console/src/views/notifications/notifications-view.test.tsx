// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { notifications } from '../../../testing/installation/notifications.ts';

const [slack] = notifications.items;

test('the list shows target, events, campaigns and dead deliveries', async () => {
  await openConsole('/notifications');
  const well = await screen.findByRole('row', { name: /Slack, growth/ });
  expect(well.textContent).toContain('waiting for approval, started, stalled, ended, with any result');
  expect(well.textContent).toContain('tag growth');
  const sick = screen.getByRole('row', { name: /finance\.example\.com/ });
  expect(within(sick).getByText('3 dead').className).toContain('c-bad');
  expect(sick.textContent).toContain('all campaigns');
  expect(sick.textContent).toContain('1 pending');
  expect([well, sick].map((row) => row.textContent.includes('Slack ·'))).toEqual([true, false]);
  expect(within(well).queryByText(/dead/)).toBeNull();
});

test('a new notification is created with the chosen fields, and its secret is shown once', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: {
      'POST /v1/notifications': () =>
        Response.json({ notification: slack, secret: 'whsec_shown-once' }, { status: 201 }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'New notification' }));
  const dialog = await screen.findByRole('dialog', { name: 'New notification' });
  await user.click(within(dialog).getByRole('button', { name: 'Webhook' }));
  await user.type(within(dialog).getByLabelText(/^Name/), 'Pager, growth');
  await user.type(within(dialog).getByLabelText(/^URL/), 'https://pager.example.com/a');
  await user.click(within(dialog).getByRole('checkbox', { name: 'started' }));
  await user.click(within(dialog).getByRole('checkbox', { name: 'stalled' }));
  await user.type(within(dialog).getByLabelText(/^Tags/), 'payday, vip');
  await user.click(within(dialog).getByRole('button', { name: 'Notify' }));
  expect(await screen.findByText('whsec_shown-once')).toBeDefined();
  const [request] = api.requestsTo('POST /v1/notifications');
  expect(request?.body).toEqual({
    name: 'Pager, growth',
    url: 'https://pager.example.com/a',
    kind: 'webhook',
    tags: ['payday', 'vip'],
    events: ['run.started', 'run.paused', 'run.ended'],
    campaigns: null,
    owners: null,
    digest: null,
  });
});

test('a notification to Slack, Teams or a mailbox is created without a secret', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: { 'POST /v1/notifications': () => Response.json({ notification: slack, secret: null }, { status: 201 }) },
  });
  const kinds = [
    { kind: 'Slack', field: /^URL of the incoming webhook/, typed: 'https://hooks.slack.com/services/a' },
    { kind: 'Teams', field: /^URL of the workflow/, typed: 'https://x.webhook.office.com/a' },
    { kind: 'E-mail', field: /^Address/, typed: 'growth@example.com' },
  ];
  for (const { kind, field, typed } of kinds) {
    await user.click(await screen.findByRole('button', { name: 'New notification' }));
    const dialog = await screen.findByRole('dialog', { name: 'New notification' });
    await user.click(within(dialog).getByRole('button', { name: kind }));
    await user.click(within(dialog).getByLabelText(field));
    await user.paste(typed);
    await user.click(within(dialog).getByRole('button', { name: 'Notify' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
  expect(api.requestsTo('POST /v1/notifications').map(({ body }) => body)).toMatchObject([
    { url: 'https://hooks.slack.com/services/a', kind: 'slack' },
    { url: 'https://x.webhook.office.com/a', kind: 'teams' },
    { url: 'mailto:growth@example.com', kind: 'email' },
  ]);
});

test('campaigns are chosen by name and can be removed again', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: { 'POST /v1/notifications': () => Response.json({ notification: slack, secret: null }, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notification' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New notification' }));
  await user.click(dialog.getByLabelText(/^URL of the incoming webhook/));
  await user.paste('https://hooks.slack.com/services/a');
  await user.click(dialog.getByRole('button', { name: 'Only some…' }));
  const [first] = await dialog.findAllByRole('option');
  await user.click(first ?? document.body);
  await user.click(dialog.getByRole('button', { name: 'Add another…' }));
  const [, second] = await dialog.findAllByRole('option');
  await user.click(second ?? document.body);
  const [removeFirst] = await dialog.findAllByRole('button', { name: /^Remove/ });
  await user.click(removeFirst ?? document.body);
  await user.click(dialog.getByRole('button', { name: 'Notify' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/notifications')).toHaveLength(1));
  const body = Object(api.requestsTo('POST /v1/notifications')[0]?.body) as { campaigns: string[] };
  expect(body.campaigns).toHaveLength(1);
  expect(body.campaigns[0]).toMatch(/^cmp_/);
});

test('the list names the campaigns of a notification', async () => {
  await openConsole('/notifications', {
    answers: { 'GET /v1/notifications': { items: [{ ...slack, campaigns: ['cmp_draft'], tags: null }], next: null } },
  });
  expect(await screen.findByText('A draft')).toBeDefined();
  expect(screen.queryByText('all campaigns')).toBeNull();
});

test('a campaign that was typed but not chosen prevents saving, so that the notification does not cover all campaigns', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: { 'POST /v1/notifications': () => Response.json({ notification: slack, secret: null }, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notification' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New notification' }));
  await user.click(dialog.getByRole('button', { name: 'Only some…' }));
  await user.click(dialog.getByRole('combobox', { name: 'Campaign' }));
  await user.paste('Pay');
  await user.click(dialog.getByRole('button', { name: 'Notify' }));
  expect(api.requestsTo('POST /v1/notifications')).toEqual([]);
  const [cancelSearch] = dialog.getAllByRole('button', { name: 'Cancel' });
  await user.click(cancelSearch ?? document.body);
  await user.click(dialog.getByRole('button', { name: 'Notify' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/notifications')).toHaveLength(1));
});

test('a digest is created with its time and time zone', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: { 'POST /v1/notifications': () => Response.json({ notification: slack, secret: null }, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notification' }));
  const dialog = await screen.findByRole('dialog', { name: 'New notification' });
  await user.type(within(dialog).getByLabelText(/^URL/), 'https://hooks.slack.com/a');
  await user.click(within(dialog).getByRole('button', { name: 'On Mondays' }));
  const at = within(dialog).getByLabelText(/^At/);
  await user.clear(at);
  await user.type(at, '08:30');
  await user.click(within(dialog).getByRole('button', { name: 'Notify' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/notifications')).toHaveLength(1));
  expect(api.requestsTo('POST /v1/notifications')[0]?.body).toMatchObject({
    digest: { every: 'week', at: '08:30', zone: 'UTC' },
  });
});

test('the list shows when a digest is sent', async () => {
  const digest = { every: 'day', at: '09:00', zone: 'Asia/Singapore' };
  await openConsole('/notifications', {
    answers: { 'GET /v1/notifications': { items: [{ ...slack, digest }], next: null } },
  });
  expect(
    await screen.findByText('completed recurring runs in one message, every day at 09:00 in Singapore'),
  ).toBeDefined();
});

test('a refusal is shown at its field', async () => {
  const errors = [{ pointer: '/url', code: 'forbidden-address', detail: 'may not be called: 10.0.0.1' }];
  const { user } = await openConsole('/notifications', {
    answers: { 'POST /v1/notifications': () => problem(422, 'invalid-request', 'the request has problems', errors) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notification' }));
  await user.click(await screen.findByRole('button', { name: 'Notify' }));
  expect(await screen.findByText(/may not be called: 10\.0\.0\.1/i)).toBeDefined();
});

test('a change is based on the revision that was read, and leaves the URL unchanged', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: { 'PATCH /v1/notifications/:id': { ...slack } },
  });
  await user.click(await screen.findByRole('button', { name: 'Change Slack, growth' }));
  await user.click(await screen.findByRole('checkbox', { name: 'paused' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.requestsTo('PATCH /v1/notifications/ntf_slack')).toHaveLength(1));
  const [request] = api.requestsTo('PATCH /v1/notifications/ntf_slack');
  expect(request?.headers.get('if-match')).toBe('"4"');
  expect(request?.body).toEqual({
    name: 'Slack, growth',
    tags: ['growth'],
    campaigns: null,
    owners: null,
    digest: null,
    events: ['approval.waiting', 'run.started', 'run.paused', 'run.stalled', 'run.ended'],
  });
});

test('a notification is tested, its dead deliveries are listed and replayed, and it is deleted', async () => {
  const { api, user } = await openConsole('/notifications', {
    answers: {
      'POST /v1/notifications/:id/test': () => Response.json({ id: 'job_2' }, { status: 202 }),
      'POST /v1/notifications/:id/replay': { items: 3, expired: 0 },
      'DELETE /v1/notifications/:id': () => new Response(null, { status: 204 }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Test Slack, growth' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/notifications/ntf_slack/test')).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: /^Deliveries to .*finance/ }));
  const dialog = await screen.findByRole('dialog', { name: /^Deliveries to/ });
  const row = await within(dialog).findByRole('row', { name: /budget nearly used/ });
  expect(row.textContent).toContain('12 attempts, answered 500, http-500');
  await user.click(screen.getByRole('button', { name: 'Replay 3 dead deliveries' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/notifications/ntf_finance/replay')).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: /^Delete .*finance/ }));
  expect(await screen.findByText('Cancelled: 1 pending delivery.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(api.requestsTo('DELETE /v1/notifications/ntf_finance')).toHaveLength(1));
});

test('the empty list describes notifications, and a viewer cannot create one', async () => {
  await openConsole('/notifications', {
    role: 'viewer',
    answers: { 'GET /v1/notifications': { items: [], next: null } },
  });
  expect(await screen.findByText('No notifications yet')).toBeDefined();
  expect(screen.getByRole('button', { name: 'New notification' }).getAttribute('aria-disabled')).toBe('true');
});
