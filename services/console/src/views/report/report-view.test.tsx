// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { report } from '../../../testing/runs/ended-report.ts';
import { progressOf } from '../../../testing/runs/many-lines.ts';
import { comparison } from '../../../testing/runs/ended-run.ts';
import { reportOfVariants } from '../../../testing/runs/variants.ts';

test('a report of many countries is folded on screen and complete on paper', async () => {
  const { steps, countries } = progressOf();
  await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': { ...report, steps, countries } },
  });
  await screen.findByRole('table', { name: /^Countries/ });
  const onPaper = () => document.querySelectorAll('.hidden.print\\:block .step-table tbody tr');
  await waitFor(() => expect(onPaper()).toHaveLength(205));
  expect(document.querySelectorAll('tbody tr').length).toBeLessThan(205 + 30);
});

test('a report starts with a sum that adds up, and lists reasons of failures', async () => {
  await openConsole('/runs/run_ended/report');
  const sum = await screen.findByRole('region', { name: 'The sum' });
  expect(sum.textContent).toContain('30,000');
  expect(within(sum).getByText('Adds up')).toBeDefined();
  expect(screen.getAllByText('out-of-stock').length).toBeGreaterThan(0);
});

test('a sum that does not add up is marked', async () => {
  const steps = report.steps.map((step) => ({ ...step, succeeded: step.succeeded - 1 }));
  await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': { ...report, steps } } });
  const sum = await screen.findByRole('region', { name: 'The sum' });
  expect(within(sum).getByText('Does not add up')).toBeDefined();
});

test('the report of a test states that users got nothing', async () => {
  const steps = report.steps.map((line) => ({ ...line, mode: 'test' }));
  const answer = { ...report, kind: 'test', steps };
  await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': answer } });
  expect(await screen.findByText(/No user received anything\./)).toBeDefined();
});

test('the report of a dry run states that no calls were made, and shows the forecast', async () => {
  const line = { step: 1, action: 'award-reward', country: 'SG', users: 900, calls: 9, breaker: 'closed' };
  const answer = {
    ...report,
    kind: 'dry-run',
    audience: { ...report.audience, shared: 412 },
    forecast: {
      batchUsers: 100,
      load: [
        { ...line, limit: 'earlier-run', seconds: 90 },
        { ...line, step: 2, action: 'send-message', limit: null, seconds: null },
      ],
      takesSeconds: { atLeast: 90, atMost: null },
      restsOn: 'It rests on award-reward in SG. Nothing says how fast send-message in SG is.',
    },
  };
  await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': answer } });
  expect(await screen.findByText(/No user was called/)).toBeDefined();
  expect(screen.queryByText(/receipts report/)).toBeNull();
  const panel = screen.getByRole('region', { name: 'Forecast' });
  expect(within(panel).getByText('at least 1 min 30 s')).toBeDefined();
  expect(within(panel).getByText('412 users are in several sources; each counts once.')).toBeDefined();
  expect(within(panel).getByText(/Nothing says how fast “Send a message” in SG is/)).toBeDefined();
  const rows = within(panel)
    .getAllByRole('row')
    .map(({ textContent }) => textContent);
  expect(rows.slice(1)).toEqual(['2 Send a message SG9009not known', '1 Give a reward SG90091 min 30 s']);
});

test('the report shows the cost of the run, in money if it has a price', async () => {
  const step = { step: 1, action: 'award-reward', unitsPerUser: 2, price: '0.05', units: 1800, amount: '90.00' };
  const unpriced = { step: 2, action: 'send-message', unitsPerUser: 1, price: null, units: 800, amount: null };
  const cost = { currency: 'SGD', units: 2600, amount: '90.00', steps: [step, unpriced], countries: [] };
  await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': { ...report, cost } } });
  const panel = await screen.findByRole('region', { name: 'Cost' });
  expect(within(panel).getByText('SGD 90.00')).toBeDefined();
  const rows = within(panel)
    .getAllByRole('row')
    .map(({ textContent }) => textContent);
  expect(rows).toEqual(['StepUnitsSGD', '1 Give a reward1,80090.00', '2 Send a message800–']);
});

test('a dialog explains each outcome', async () => {
  const { user } = await openConsole('/runs/run_ended/report');
  await user.click(await screen.findByRole('button', { name: 'What each outcome means' }));
  const dialog = await screen.findByRole('dialog', { name: 'What each outcome means' });
  expect(within(dialog).getByText('held out')).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('selected failed users are retried after the engine has counted them', async () => {
  const found = { preview: true, parentRunId: 'run_ended', runId: null, users: 412, links: { self: null } };
  const groups = [{ step: 1, action: 'award-reward', country: 'VN', reason: 'out-of-stock', users: 412 }];
  const { api, user, address } = await openConsole('/runs/run_ended/report', {
    answers: { 'POST /v1/runs/:id/retry-failed': { ...found, groups } },
  });
  const box = await screen.findByRole('checkbox', { name: 'Retry users who failed with out-of-stock' });
  if (!(box instanceof HTMLInputElement)) throw new Error('it is no checkbox');
  if (!box.checked) await user.click(box);
  await user.click(screen.getByRole('button', { name: /^Retry/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Retry 412 users?' });
  expect(within(dialog).getByText(/Begin with step 1, “Give a reward”/)).toBeDefined();
  api.answer({ 'POST /v1/runs/:id/retry-failed': { ...found, groups, preview: false, runId: 'run_again' } });
  await user.click(within(dialog).getByRole('button', { name: 'Retry 412 users' }));
  await waitFor(() => expect(address()).toBe('/runs/run_again'));
  expect(api.requestsTo('POST /v1/runs/run_ended/retry-failed').map(({ body }) => body)).toMatchObject([
    { preview: true },
    expect.not.objectContaining({ preview: true }),
  ]);
});

test('the download menu links the files of the API', async () => {
  const { user } = await openConsole('/runs/run_ended/report');
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  const links = screen.getAllByRole('menuitem').map((link) => link.getAttribute('href'));
  expect(links).toContain('v1/runs/run_ended/report');
  expect(links).toContain('v1/runs/run_ended/report/table?format=csv');
  expect(links).toContain('v1/runs/run_ended/failures?format=csv');
  await screen.findByRole('menuitem', { name: 'All users as CSV' });
  const all = screen.getAllByRole('menuitem').map((link) => link.getAttribute('href'));
  expect(all).toContain('v1/runs/run_ended/users?format=csv');
  expect(all).toContain('v1/runs/run_ended/users?format=ndjson');
});

test('the file of all users is missing if users are no longer kept', async () => {
  const { user } = await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/:id/users': () => problem(409, 'users-not-kept', 'the users are not kept any more') },
  });
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  expect(await screen.findByText('Users are no longer kept')).toBeDefined();
  expect(screen.queryByRole('menuitem', { name: 'All users as CSV' })).toBeNull();
});

const withReceipts = {
  ...report,
  steps: report.steps.map((line) => {
    return { ...line, receipts: { delivered: 8, undelivered: 1, awaiting: 1, unexpected: 2 } };
  }),
};

test('receipts can be downloaded while they are kept', async () => {
  const { user } = await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': withReceipts },
  });
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  expect(screen.getByRole('menuitem', { name: 'Receipts as CSV' })).toBeDefined();
  expect(screen.queryByText(/Receipts per user were deleted/)).toBeNull();
});

test('deleted receipts cannot be downloaded, and the report shows the time of the deletion', async () => {
  const { user } = await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': { ...withReceipts, receiptsDeletedAt: '2026-11-28T04:00:00.000Z' } },
  });
  expect((await screen.findByText(/Receipts per user were deleted on/)).textContent).toContain('28 Nov');
  await user.click(screen.getByRole('button', { name: 'Download' }));
  expect(screen.getByText('Receipts are no longer kept')).toBeDefined();
  expect(screen.queryByRole('menuitem', { name: 'Receipts as CSV' })).toBeNull();
});

test('held-out users can be downloaded if there are any', async () => {
  const steps = report.steps.map((line) => ({ ...line, heldOut: 20 }));
  const { user } = await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': { ...report, steps } },
  });
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  const file = screen.getByRole('menuitem', { name: 'Held-out users as CSV' });
  expect(file.getAttribute('href')).toBe('v1/runs/run_ended/held-out?format=csv');
});

const times = { createdAt: '2026-11-22T20:00:00.000Z', expiresAt: '2036-11-29T20:00:00.000Z' };
const links = [
  { id: 'rpl_open', createdBy: 'key_demo', state: 'open', ...times },
  { id: 'rpl_other', createdBy: 'key_01jdyjm7sbfx2v4xother', state: 'revoked', ...times },
  { id: 'rpl_third', createdBy: 'key_01jdyjm7sbfx2v4xthird', state: 'key-ended', ...times },
];

test('a link to the report is created with the chosen lifetime, shown once, and can be revoked', async () => {
  const link = '/v1/shared-reports/3f9c0c27';
  const { api, user } = await openConsole('/runs/run_ended/report', {
    answers: {
      'GET /v1/runs/:id/shares': { items: links, next: null },
      'POST /v1/runs/:id/share': () => Response.json({ ...links[0], link }, { status: 201 }),
      'DELETE /v1/runs/:id/shares/:link': () => new Response(null, { status: 204 }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Share…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Share this report' });
  await user.selectOptions(within(dialog).getByLabelText('Expires after'), '30 days');
  await user.click(within(dialog).getByRole('button', { name: 'Create a link' }));
  expect(await within(dialog).findByText(`${location.origin}${link}`)).toBeDefined();
  expect(api.requestsTo('POST /v1/runs/run_ended/share').at(-1)?.body).toEqual({ expiresInSeconds: 30 * 86_400 });

  const mine = await within(dialog).findByRole('row', { name: /by you/ });
  await user.click(within(mine).getByRole('button', { name: /^Revoke/ }));
  expect(api.requestsTo('DELETE /v1/runs/run_ended/shares/rpl_open')).toHaveLength(0);
  await user.click(await within(dialog).findByRole('button', { name: 'Revoke it' }));
  await waitFor(() => expect(api.requestsTo('DELETE /v1/runs/run_ended/shares/rpl_open')).toHaveLength(1));
  const revoked = within(dialog).getByRole('row', { name: /revoked/ });
  expect(within(revoked).queryByRole('button')).toBeNull();
  // The link works again if its key is allowed to share the report again. Until then the user can revoke the link.
  const closed = within(dialog).getByRole('row', { name: /closed: its key has ended/ });
  expect(within(closed).getByRole('button', { name: /^Revoke/ })).toBeDefined();
});

test('a viewer sees the links of a report and cannot create one', async () => {
  const { user } = await openConsole('/runs/run_ended/report', {
    role: 'viewer',
    answers: { 'GET /v1/runs/:id/shares': { items: links, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Share…' }));
  const make = await screen.findByRole('button', { name: 'Create a link' });
  expect(make.getAttribute('aria-disabled')).toBe('true');
  expect(await screen.findByRole('row', { name: /by you/ })).toBeDefined();
});

test('the previous run is compared with this one', async () => {
  const before = { ...comparison.run, runId: 'run_before', audience: 25_000, through: 24_000, failed: 1_000 };
  await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/:id/comparison': { ...comparison, before, others: [before] } },
  });
  expect(await screen.findByText('25,000')).toBeDefined();
});

test('the report of a running run has a notice', async () => {
  await openConsole('/runs/run_live/report');
  expect(await screen.findByText('This run is still running.')).toBeDefined();
});

test('a failed request of the report is shown', async () => {
  await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': () => problem(404, 'not-found', 'there is no run') },
  });
  expect(await screen.findByText('The report could not be read')).toBeDefined();
});

test('a shortcut opens the explanation of a user', async () => {
  const { user, address } = await openConsole('/runs/run_ended/report');
  await screen.findByRole('region', { name: 'The sum' });
  await user.keyboard('e');
  const dialog = await screen.findByRole('dialog', { name: 'Explain a user' });
  await user.type(within(dialog).getByRole('textbox'), 'u-1');
  await user.click(within(dialog).getByRole('button', { name: 'Explain user' }));
  await waitFor(() => expect(address()).toBe('/runs/run_ended/users/u-1'));
});

test('the report shows variants by step, and their differences in words', async () => {
  await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': reportOfVariants } });
  const panel = await screen.findByRole('region', { name: 'Variants' });
  const messages = within(panel).getByRole('region', { name: 'Variants in step 2' });
  const rows = within(messages)
    .getAllByRole('row')
    .map(({ textContent }) => textContent);
  expect(rows.slice(0, 3)).toEqual([
    'FigureABAll',
    'Users15,01214,98830,000',
    'Succeeded14,600 97.3 %14,576 97.3 %29,176 97.3 %',
  ]);
  const [, delivered] = within(messages).getAllByRole('listitem');
  expect(delivered?.textContent).toContain('Delivered B − A: +3.01 points, between +2.68 and +3.35');
  expect(delivered?.textContent).toContain('B is higher than A');
  expect(within(messages).getByRole('img', { name: 'B − A: +3.01 points, between +2.68 and +3.35' })).toBeDefined();
  expect(
    within(within(panel).getByRole('region', { name: 'Variants in step 1' })).queryByText('Differences'),
  ).toBeNull();
});

test('the report names the variant that was chosen after the canary', async () => {
  const variantChoice = { options: ['A', 'B'], chosen: 'B' };
  await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': { ...reportOfVariants, variantChoice } },
  });
  const panel = await screen.findByRole('region', { name: 'Variants' });
  expect(within(panel).getByText('A, 50 % · B, 50 % of the canary users; all others get B')).toBeDefined();
  expect(within(panel).getByText(/The differences compare only the canary users\./)).toBeDefined();
});

test('the report of a dry run names the users who are in no variant', async () => {
  const variantChoice = { options: ['A', 'B'], chosen: null };
  await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/run_ended/report': { ...reportOfVariants, variantChoice, undecidedUsers: 24_000 } },
  });
  expect(await screen.findByText(/24,000 users outside the canary are in no variant/)).toBeDefined();
});

test('the report of a run without variants has no panel of variants', async () => {
  await openConsole('/runs/run_ended/report');
  await screen.findByRole('region', { name: 'The sum' });
  expect(screen.queryByRole('region', { name: 'Variants' })).toBeNull();
});
