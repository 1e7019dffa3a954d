// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { webhooks } from '../../testing/webhooks.ts';

const [slack] = webhooks.items;

test('the list says to whom, for what, of what, and what died', async () => {
  await openConsole('/notices');
  const well = await screen.findByRole('row', { name: /Slack, growth/ });
  expect(well.textContent).toContain('waiting for approval, started, stalled, ended, however');
  expect(well.textContent).toContain('tag growth');
  const sick = screen.getByRole('row', { name: /finance\.example\.com/ });
  expect(within(sick).getByText('3 dead').className).toContain('c-bad');
  expect(sick.textContent).toContain('all campaigns');
  expect(sick.textContent).toContain('1 on the way');
  expect([well, sick].map((row) => row.textContent.includes('Slack ·'))).toEqual([true, false]);
  expect(within(well).queryByText(/dead/)).toBeNull();
});

test('a new one is asked for with what is chosen, and its secret is shown once', async () => {
  const { api, user } = await openConsole('/notices', {
    answers: {
      'POST /v1/webhooks': () => Response.json({ webhook: slack, secret: 'whsec_shown-once' }, { status: 201 }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'New notice' }));
  const dialog = await screen.findByRole('dialog', { name: 'New notice' });
  await user.click(within(dialog).getByRole('button', { name: 'Another service' }));
  await user.type(within(dialog).getByLabelText(/^Name/), 'Pager, growth');
  await user.type(within(dialog).getByLabelText(/^URL/), 'https://pager.example.com/a');
  await user.click(within(dialog).getByRole('checkbox', { name: 'started' }));
  await user.click(within(dialog).getByRole('checkbox', { name: 'stalled' }));
  await user.type(within(dialog).getByLabelText(/^Tags/), 'payday, vip');
  await user.click(within(dialog).getByRole('button', { name: 'Tell it' }));
  expect(await screen.findByText('whsec_shown-once')).toBeDefined();
  const [asked] = api.askedFor('POST /v1/webhooks');
  expect(asked?.body).toEqual({
    ...{ name: 'Pager, growth', url: 'https://pager.example.com/a', format: 'standard', tags: ['payday', 'vip'] },
    ...{ events: ['run.started', 'run.paused', 'run.ended'], campaigns: null, owners: null, digest: null },
  });
});

test('a channel of Slack or Teams, or a mailbox, is told without a secret', async () => {
  const { api, user } = await openConsole('/notices', {
    answers: { 'POST /v1/webhooks': () => Response.json({ webhook: slack, secret: null }, { status: 201 }) },
  });
  const ways = [
    { way: 'Slack', field: /^URL of the incoming webhook/, typed: 'https://hooks.slack.com/services/a' },
    { way: 'Teams', field: /^URL of the workflow/, typed: 'https://x.webhook.office.com/a' },
    { way: 'E-mail', field: /^Address/, typed: 'growth@example.com' },
  ];
  for (const { way, field, typed } of ways) {
    await user.click(await screen.findByRole('button', { name: 'New notice' }));
    const dialog = await screen.findByRole('dialog', { name: 'New notice' });
    await user.click(within(dialog).getByRole('button', { name: way }));
    await user.click(within(dialog).getByLabelText(field));
    await user.paste(typed);
    await user.click(within(dialog).getByRole('button', { name: 'Tell it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
  expect(api.askedFor('POST /v1/webhooks').map(({ body }) => body)).toMatchObject([
    { url: 'https://hooks.slack.com/services/a', format: 'slack' },
    { url: 'https://x.webhook.office.com/a', format: 'teams' },
    { url: 'mailto:growth@example.com', format: 'standard' },
  ]);
});

test('campaigns are chosen by their names, and left out again', async () => {
  const { api, user } = await openConsole('/notices', {
    answers: { 'POST /v1/webhooks': () => Response.json({ webhook: slack, secret: null }, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notice' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New notice' }));
  await user.click(dialog.getByLabelText(/^URL of the incoming webhook/));
  await user.paste('https://hooks.slack.com/services/a');
  await user.click(dialog.getByRole('button', { name: 'Only some…' }));
  const [first] = await dialog.findAllByRole('option');
  await user.click(first ?? document.body);
  await user.click(dialog.getByRole('button', { name: 'Another one…' }));
  const [, second] = await dialog.findAllByRole('option');
  await user.click(second ?? document.body);
  const [leaveOut] = await dialog.findAllByRole('button', { name: /^Leave out/ });
  await user.click(leaveOut ?? document.body);
  await user.click(dialog.getByRole('button', { name: 'Tell it' }));
  await waitFor(() => expect(api.askedFor('POST /v1/webhooks')).toHaveLength(1));
  const asked = Object(api.askedFor('POST /v1/webhooks')[0]?.body) as { campaigns: string[] };
  expect(asked.campaigns).toHaveLength(1);
  expect(asked.campaigns[0]).toMatch(/^cmp_/);
});

test('the list names the campaigns that a notice is about', async () => {
  await openConsole('/notices', {
    answers: { 'GET /v1/webhooks': { items: [{ ...slack, campaigns: ['cmp_draft'], tags: null }], next: null } },
  });
  expect(await screen.findByText('A draft')).toBeDefined();
  expect(screen.queryByText('all campaigns')).toBeNull();
});

test('a campaign that is typed and not chosen keeps the notice from being about all of them', async () => {
  const { api, user } = await openConsole('/notices', {
    answers: { 'POST /v1/webhooks': () => Response.json({ webhook: slack, secret: null }, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notice' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New notice' }));
  await user.click(dialog.getByRole('button', { name: 'Only some…' }));
  await user.click(dialog.getByRole('combobox', { name: 'Campaign' }));
  await user.paste('Pay');
  await user.click(dialog.getByRole('button', { name: 'Tell it' }));
  expect(api.askedFor('POST /v1/webhooks')).toEqual([]);
  const [cancelSearch] = dialog.getAllByRole('button', { name: 'Cancel' });
  await user.click(cancelSearch ?? document.body);
  await user.click(dialog.getByRole('button', { name: 'Tell it' }));
  await waitFor(() => expect(api.askedFor('POST /v1/webhooks')).toHaveLength(1));
});

test('what recurs is told together where that is chosen, at a time of one’s clocks', async () => {
  const { api, user } = await openConsole('/notices', {
    answers: { 'POST /v1/webhooks': () => Response.json({ webhook: slack, secret: null }, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notice' }));
  const dialog = await screen.findByRole('dialog', { name: 'New notice' });
  await user.type(within(dialog).getByLabelText(/^URL/), 'https://hooks.slack.com/a');
  await user.click(within(dialog).getByRole('button', { name: 'On Mondays' }));
  const at = within(dialog).getByLabelText(/^At/);
  await user.clear(at);
  await user.type(at, '08:30');
  await user.click(within(dialog).getByRole('button', { name: 'Tell it' }));
  await waitFor(() => expect(api.askedFor('POST /v1/webhooks')).toHaveLength(1));
  expect(api.askedFor('POST /v1/webhooks')[0]?.body).toMatchObject({
    digest: { every: 'week', at: '08:30', zone: 'UTC' },
  });
});

test('the list says when what recurs is told together', async () => {
  const digest = { every: 'day', at: '09:00', zone: 'Asia/Singapore' };
  await openConsole('/notices', {
    answers: { 'GET /v1/webhooks': { items: [{ ...slack, digest }], next: null } },
  });
  expect(await screen.findByText('what recurs together, every day at 09:00 in Singapore')).toBeDefined();
});

test('what is wrong stands at its field', async () => {
  const errors = [{ pointer: '/url', code: 'forbidden-address', detail: 'may not be called: 10.0.0.1' }];
  const { user } = await openConsole('/notices', {
    answers: { 'POST /v1/webhooks': () => problem(422, 'invalid-request', 'the request has problems', errors) },
  });
  await user.click(await screen.findByRole('button', { name: 'New notice' }));
  await user.click(await screen.findByRole('button', { name: 'Tell it' }));
  expect(await screen.findByText(/may not be called: 10\.0\.0\.1/i)).toBeDefined();
});

test('one is changed on the revision that was read, its URL left as it is', async () => {
  const { api, user } = await openConsole('/notices', { answers: { 'PATCH /v1/webhooks/:id': { ...slack } } });
  await user.click(await screen.findByRole('button', { name: 'Change Slack, growth' }));
  await user.click(await screen.findByRole('checkbox', { name: 'paused' }));
  await user.click(screen.getByRole('button', { name: 'Change it' }));
  await waitFor(() => expect(api.askedFor('PATCH /v1/webhooks/whk_slack')).toHaveLength(1));
  const [asked] = api.askedFor('PATCH /v1/webhooks/whk_slack');
  expect(asked?.headers.get('if-match')).toBe('"4"');
  expect(asked?.body).toEqual({
    ...{ name: 'Slack, growth', tags: ['growth'], campaigns: null, owners: null, digest: null },
    events: ['approval.waiting', 'run.started', 'run.paused', 'run.stalled', 'run.ended'],
  });
});

test('it is tested, its dead notices are shown and sent again, and it is deleted', async () => {
  const { api, user } = await openConsole('/notices', {
    answers: {
      'POST /v1/webhooks/:id/test': () => Response.json({ id: 'job_2' }, { status: 202 }),
      'POST /v1/webhooks/:id/send-again': { notices: 3, expired: 0 },
      'DELETE /v1/webhooks/:id': () => new Response(null, { status: 204 }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Test Slack, growth' }));
  await waitFor(() => expect(api.askedFor('POST /v1/webhooks/whk_slack/test')).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: /^Sent to .*finance/ }));
  const dialog = await screen.findByRole('dialog', { name: /^Sent to/ });
  const row = await within(dialog).findByRole('row', { name: /budget nearly used/ });
  expect(row.textContent).toContain('12 tries, answered 500, http-500');
  await user.click(screen.getByRole('button', { name: 'Send 3 dead notices again' }));
  await waitFor(() => expect(api.askedFor('POST /v1/webhooks/whk_finance/send-again')).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: /^Delete .*finance/ }));
  expect(await screen.findByText('Taken back: 1 notice on the way.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(api.askedFor('DELETE /v1/webhooks/whk_finance')).toHaveLength(1));
});

test('an installation without any says what they are for, and a viewer which role makes one', async () => {
  await openConsole('/notices', { role: 'viewer', answers: { 'GET /v1/webhooks': { items: [], next: null } } });
  expect(await screen.findByText('No notices yet')).toBeDefined();
  expect(screen.getByRole('button', { name: 'New notice' }).getAttribute('aria-disabled')).toBe('true');
});
