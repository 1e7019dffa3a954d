// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../../testing/fakes/fake-api.ts';
import { openConsole, type OpenConsole } from '../../../../testing/open-console.tsx';
import { waitingApproval } from '../../../../testing/campaigns/approvals.ts';
import { progress } from '../../../../testing/runs/live-run.ts';

const budgets = [{ country: 'VN', units: 9000, used: 8990, reserved: 0, left: 10, money: null, waitingBatches: 3 }];
const shortOf = {
  step: 1,
  action: 'award-reward',
  country: 'VN',
  by: 'budget',
  cause: 'budget: too few',
  since: progress.asOf,
  batches: 3,
  held: false,
  nextTryAt: null,
  blockedBy: null,
  timeoutMs: null,
  nextStep: 'Raise the budget.',
};
const raisable = { items: [{ ...budgets[0], raisableTo: 12_000, raisableToAmount: null }] };

/** Opens the page of a run whose budget is used up in one country. */
async function openShortRun(change: object = {}): Promise<OpenConsole> {
  const short = { ...progress, budgets, waits: [shortOf], stalled: 'budget: too few', eta: null, ...change };
  const opened = await openConsole('/runs/run_live', {
    answers: {
      'GET /v1/runs/:id/progress': short,
      'GET /v1/campaigns/:id/budgets': raisable,
      'PATCH /v1/campaigns/:id/budgets': raisable,
      'PATCH /v1/runs/:id': {},
      'POST /v1/runs/:id/resume': {},
    },
  });
  await screen.findByRole('heading', { name: 'Payday, slowly' });
  return opened;
}

describe('the limits of a run', () => {
  test('show the effect of each change, and only changed limits are sent', async () => {
    const { api, user } = await openShortRun();
    await user.click(screen.getByRole('button', { name: 'Limits…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const pace = within(dialog).getByRole('textbox', { name: /^Pace, at most now 20/ });
    expect(document.activeElement).toBe(pace);
    expect(within(dialog).getByRole('button', { name: 'Change' }).hasAttribute('disabled')).toBe(true);
    await user.clear(pace);
    await user.type(pace, '5');
    await within(dialog).findByText(/^Ends about/);
    await user.selectOptions(within(dialog).getByRole('combobox', { name: /^Priority/ }), 'high');
    await user.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'requested by rewards');
    await user.click(within(dialog).getByRole('button', { name: 'Change 2 limits' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.requestsTo('PATCH /v1/runs/run_live').map(({ body }) => body)).toEqual([
      { paceUsersPerSecond: 5, priority: 'high', reason: 'requested by rewards' },
    ]);
    expect(api.requestsTo('PATCH /v1/campaigns/cmp_live/budgets')).toEqual([]);
  });

  test('show invalid numbers and refusals of the API at their field', async () => {
    const { api, user } = await openShortRun();
    await user.click(screen.getByRole('button', { name: 'Limits…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const pace = within(dialog).getByRole('textbox', { name: /^Pace/ });
    await user.type(pace, 'x');
    expect(pace.getAttribute('aria-invalid')).toBe('true');
    expect(within(dialog).getByRole('button', { name: 'Change 1 limit' }).hasAttribute('disabled')).toBe(true);
    await user.clear(pace);
    await user.type(pace, '0');
    const errors = [{ pointer: '/paceUsersPerSecond', code: 'too-small', detail: 'has to be at least 1' }];
    api.answer({ 'PATCH /v1/runs/:id': () => problem(422, 'invalid-request', 'not so', errors) });
    await user.click(within(dialog).getByRole('button', { name: 'Change 1 limit' }));
    expect(await within(dialog).findByText('Has to be at least 1')).toBeDefined();
  });

  test('show a change by another person at its line', async () => {
    const { api, user } = await openConsole('/runs/run_live');
    await screen.findByRole('heading', { name: 'Payday, slowly' });
    await user.click(screen.getByRole('button', { name: 'Limits…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const pace = within(dialog).getByRole('textbox', { name: /^Pace/ });
    await user.clear(pace);
    await user.type(pace, '5');
    api.sendEvent('progress', { ...progress, settings: { ...progress.settings, paceUsersPerSecond: 77 } });
    expect(await within(dialog).findByText(/Another person has changed it to 77/)).toBeDefined();
    expect(pace).toHaveProperty('value', '5');
  });
});

describe('a budget that is used up', () => {
  test('is raised from its banner, and the run has no ETA', async () => {
    const { api, user } = await openShortRun();
    expect(await screen.findByText('VN has used up its budget.')).toBeDefined();
    expect(screen.getByText('not before the budget of VN is raised')).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Open shard' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Raise the budget…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const units = within(dialog).getByRole('textbox', { name: /^Budget of VN now 9,000/ });
    expect(document.activeElement).toBe(units);
    await user.clear(units);
    await user.type(units, '13,000');
    expect(await within(dialog).findByText(/Above 12,000, the change needs an approval/)).toBeDefined();
    await user.clear(units);
    await user.type(units, '12,000');
    expect(await within(dialog).findByText('VN continues.')).toBeDefined();
    await user.click(within(dialog).getByRole('button', { name: 'Change 1 limit' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.requestsTo('PATCH /v1/campaigns/cmp_live/budgets').map(({ body }) => body)).toEqual([
      { budgets: [{ country: 'VN', units: 12_000 }] },
    ]);
    expect(api.requestsTo('POST /v1/runs/run_live/resume')).toEqual([]);
  });

  test('is raised together with a resume of the paused run', async () => {
    const stall = { by: 'budget', cause: 'budget: used up', since: null, nextStep: 'Raise it, then resume the run.' };
    const { api, user } = await openShortRun({ state: 'paused', stateReason: 'budget: used up', stall });
    expect(await screen.findByText(/Raise it, then resume the run\./)).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Raise the budget…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const units = within(dialog).getByRole('textbox', { name: /^Budget of VN/ });
    await user.clear(units);
    await user.type(units, '12000');
    await user.click(within(dialog).getByRole('button', { name: 'Change 1 limit and resume' }));
    await waitFor(() => expect(api.requestsTo('POST /v1/runs/run_live/resume')).toHaveLength(1));
    const order = api.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
    expect(order).toEqual(['PATCH /v1/campaigns/cmp_live/budgets', 'POST /v1/runs/run_live/resume']);
  });

  test('is not raised without a required approval, which can be requested', async () => {
    const { api, user } = await openShortRun();
    api.answer({
      'PATCH /v1/campaigns/:id/budgets': () => problem(409, 'approval-needed', 'that is more than was approved'),
      'POST /v1/campaigns/:id/submit': waitingApproval,
    });
    await user.click(screen.getByRole('button', { name: 'Raise the budget…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    await user.type(within(dialog).getByRole('textbox', { name: /^Budget of VN/ }), '0');
    await user.type(within(dialog).getByRole('textbox', { name: /^Pace/ }), '0');
    await user.click(within(dialog).getByRole('button', { name: 'Change 2 limits' }));
    expect(await within(dialog).findByText(/That is more than was approved\..*/)).toBeDefined();
    expect(api.requestsTo('PATCH /v1/runs/run_live')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Request approval' }));
    expect(await within(dialog).findByText(/raised when another person approves it/)).toBeDefined();
    expect(api.requestsTo('POST /v1/campaigns/cmp_live/submit').map(({ body }) => body)).toEqual([
      { budgets: [{ country: 'VN', units: 90_000 }] },
    ]);
  });

  test('is visible beforehand, with used and left units of each country', async () => {
    await openShortRun();
    const panel = screen.getByRole('region', { name: 'Budget' });
    expect(within(panel).getByText('10 left')).toBeDefined();
    expect(within(panel).getByText(/8,990 of 9,000 units used/)).toBeDefined();
  });
});
