// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { openConsole, type OpenConsole, type Role } from '../../testing/open-console.tsx';
import { liveReport } from '../../testing/live-report.ts';
import { progress } from '../../testing/live-run.ts';

/** The page of the run, once it heard of it. */
async function openRun(state: typeof progress.state = 'running', role: Role = 'operator'): Promise<OpenConsole> {
  const heard = { ...progress, state };
  const opened = await openConsole('/runs/run_live', {
    role,
    answers: { 'GET /v1/runs/:id/progress': heard, 'POST /v1/runs/:id/pause': {}, 'POST /v1/runs/:id/resume': {} },
  });
  await screen.findByRole('heading', { name: 'Payday, slowly' });
  opened.api.tell('progress', heard);
  await screen.findByText(/^updated \d+ s ago/);
  return opened;
}

test('a run says how far it is, step by step and country by country, and that its figures add up', async () => {
  await openRun();
  expect(screen.getByText('Through the chain')).toBeDefined();
  const table = screen.getByRole('region', { name: /Users by step and country/ });
  expect(within(table).getAllByRole('row').length).toBeGreaterThan(6);
  expect(screen.getByText('Adds up')).toBeDefined();
  expect((await screen.findAllByText('out-of-stock')).length).toBeGreaterThan(0);
  expect(screen.getByText(/Run started with 2 countries/)).toBeDefined();
});

test('figures of the stream take the place of those that were asked for', async () => {
  const { api } = await openRun();
  const [first, ...others] = progress.steps;
  if (!first) throw new Error('the run has no steps');
  api.tell('progress', { ...progress, steps: [{ ...first, succeeded: 7_654_321 }, ...others] });
  expect((await screen.findAllByText(/7,654,321/)).length).toBeGreaterThan(0);
});

test('who failed last is shown when the run ends, and meanwhile nobody is told that nobody failed', async () => {
  const { api } = await openConsole('/runs/run_live', {
    answers: { 'GET /v1/runs/:id/report': { ...liveReport, failures: [] } },
  });
  expect(await screen.findByText('20 users failed; why is being read.')).toBeDefined();
  api.answer({ 'GET /v1/runs/:id/report': liveReport });
  api.tell('progress', { ...progress, state: 'completed_with_failures', endedAt: progress.asOf });
  expect((await screen.findAllByText('out-of-stock')).length).toBeGreaterThan(0);
});

describe('before it is paused', () => {
  test('its dialog says what waits; confirmed, the reason goes along', async () => {
    const { api, user } = await openRun();
    await user.keyboard('p');
    const dialog = await screen.findByRole('dialog', { name: 'Pause this run?' });
    await user.type(within(dialog).getByRole('textbox'), 'the receiver asked for it');
    await user.click(within(dialog).getByRole('button', { name: 'Pause run' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const [asked] = api.askedFor('POST /v1/runs/run_live/pause');
    expect(asked?.body).toEqual({ reason: 'the receiver asked for it' });
    expect(asked?.headers.get('x-csrf-token')).toBe('csrf-of-this-session');
  });

  test('a refusal stays in the dialog, and Keep running leaves the run as it is', async () => {
    const { api, user } = await openRun();
    api.answer({ 'POST /v1/runs/:id/pause': () => problem(409, 'wrong-state', 'the run has ended') });
    await user.click(screen.getByRole('button', { name: /^Pause/ }));
    await user.click(await screen.findByRole('button', { name: 'Pause run' }));
    expect((await screen.findByText(/The run has ended/)).isConnected).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Keep running' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('Escape leaves it too', async () => {
    const { user } = await openRun();
    await user.click(screen.getByRole('button', { name: /^Pause/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Pause this run?' });
    expect(dialog.contains(document.activeElement)).toBe(true);
    dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

test('a paused run is resumed', async () => {
  const { api, user } = await openRun('paused');
  await user.click(screen.getByRole('button', { name: /^Resume/ }));
  await user.click(await screen.findByRole('button', { name: 'Resume run' }));
  await waitFor(() => expect(api.askedFor('POST /v1/runs/run_live/resume')).toHaveLength(1));
});

describe('before it is cancelled', () => {
  test('the word has to be typed, and the dialog says who is half-way', async () => {
    const { api, user } = await openRun();
    api.answer({ 'POST /v1/runs/:id/cancel': {} });
    await user.click(screen.getByRole('button', { name: 'Cancel…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel this run for good?' });
    await within(dialog).findByText('users half-way');
    const confirm = within(dialog).getByRole('button', { name: 'Cancel run' });
    expect(confirm.hasAttribute('disabled')).toBe(true);
    await user.type(within(dialog).getByRole('textbox'), 'Cancel{Enter}');
    await waitFor(() => expect(api.askedFor('POST /v1/runs/run_live/cancel')).toHaveLength(1));
  });

  test('it can be paused instead', async () => {
    const { user } = await openRun();
    await user.click(screen.getByRole('button', { name: 'Cancel…' }));
    await user.click(await screen.findByRole('button', { name: 'pause it instead' }));
    await screen.findByRole('dialog', { name: 'Pause this run?' });
  });
});

const budgets = [{ country: 'VN', units: 9000, used: 8990, reserved: 0, left: 10, waitingBatches: 3 }];
const shortOf = {
  ...{ step: 1, action: 'award-reward', country: 'VN', by: 'budget', cause: 'budget: too few', since: progress.asOf },
  ...{ batches: 3, held: false, nextTryAt: null, timeoutMs: null, nextStep: 'Raise the budget.' },
};
const raisable = { items: [{ ...budgets[0], raisableTo: 12_000 }] };

/** The page of a run whose budget is used up in one country. */
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

describe('limits of a run', () => {
  test('are changed one by one, each with what it would change, and only those that differ are sent', async () => {
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
    await user.type(within(dialog).getByRole('textbox', { name: /^Why/ }), 'rewards asked for it');
    await user.click(within(dialog).getByRole('button', { name: 'Change 2 limits' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.askedFor('PATCH /v1/runs/run_live').map(({ body }) => body)).toEqual([
      { paceUsersPerSecond: 5, priority: 'high', reason: 'rewards asked for it' },
    ]);
    expect(api.askedFor('PATCH /v1/campaigns/cmp_live/budgets')).toEqual([]);
  });

  test('that are no number are red at their field and not sent; what the API refuses stands there too', async () => {
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

  test('that somebody else has changed meanwhile are told at their line', async () => {
    const { api, user } = await openRun();
    await user.click(screen.getByRole('button', { name: 'Limits…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const pace = within(dialog).getByRole('textbox', { name: /^Pace/ });
    await user.clear(pace);
    await user.type(pace, '5');
    api.tell('progress', { ...progress, settings: { ...progress.settings, paceUsersPerSecond: 77 } });
    expect(await within(dialog).findByText(/Somebody changed it to 77 meanwhile/)).toBeDefined();
    expect(pace).toHaveProperty('value', '5');
  });
});

describe('a budget that is used up', () => {
  test('is raised from its banner, which says that nothing else helps; there is no time of its end', async () => {
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
    expect(await within(dialog).findByText(/Above 12,000 it needs an approval/)).toBeDefined();
    await user.clear(units);
    await user.type(units, '12,000');
    expect(await within(dialog).findByText('VN goes on.')).toBeDefined();
    await user.click(within(dialog).getByRole('button', { name: 'Change 1 limit' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.askedFor('PATCH /v1/campaigns/cmp_live/budgets').map(({ body }) => body)).toEqual([
      { budgets: [{ country: 'VN', units: 12_000 }] },
    ]);
    expect(api.askedFor('POST /v1/runs/run_live/resume')).toEqual([]);
  });

  test('has paused a run: it is raised and resumed in one go', async () => {
    const stall = { by: 'budget', cause: 'budget: used up', since: null, nextStep: 'Raise it, then resume the run.' };
    const { api, user } = await openShortRun({ state: 'paused', stateReason: 'budget: used up', stall });
    expect(await screen.findByText(/Raise it, then resume the run\./)).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Raise the budget…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    const units = within(dialog).getByRole('textbox', { name: /^Budget of VN/ });
    await user.clear(units);
    await user.type(units, '12000');
    await user.click(within(dialog).getByRole('button', { name: 'Change 1 limit and resume' }));
    await waitFor(() => expect(api.askedFor('POST /v1/runs/run_live/resume')).toHaveLength(1));
    const order = api.asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
    expect(order).toEqual(['PATCH /v1/campaigns/cmp_live/budgets', 'POST /v1/runs/run_live/resume']);
  });

  test('that needs an approval is refused in words, and nothing else was changed', async () => {
    const { api, user } = await openShortRun();
    api.answer({
      'PATCH /v1/campaigns/:id/budgets': () => problem(409, 'approval-needed', 'that is more than was approved'),
    });
    await user.click(screen.getByRole('button', { name: 'Raise the budget…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Limits of this run' });
    await user.type(within(dialog).getByRole('textbox', { name: /^Budget of VN/ }), '0');
    await user.type(within(dialog).getByRole('textbox', { name: /^Pace/ }), '0');
    await user.click(within(dialog).getByRole('button', { name: 'Change 2 limits' }));
    expect(await within(dialog).findByText(/That is more than was approved\..*/)).toBeDefined();
    expect(api.askedFor('PATCH /v1/runs/run_live')).toEqual([]);
  });

  test('is shown before it is: used and left of each country', async () => {
    await openShortRun();
    const panel = screen.getByRole('region', { name: 'Budget' });
    expect(within(panel).getByText('10 left')).toBeDefined();
    expect(within(panel).getByText(/8,990 of 9,000 used/)).toBeDefined();
  });
});

test('a viewer sees why neither is for it', async () => {
  const { user } = await openRun('running', 'viewer');
  const pause = screen.getByRole('button', { name: /^Pause/ });
  expect(pause.getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByRole('button', { name: 'Limits…' }).getAttribute('aria-disabled')).toBe('true');
  await user.click(pause);
  await user.keyboard('p');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('its menu leads to the user that is asked for', async () => {
  const { user, address } = await openRun();
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.keyboard('{ArrowDown}{ArrowUp}{End}{Home}');
  expect(document.activeElement?.textContent).toContain('Explain a user');
  await user.click(screen.getByRole('menuitem', { name: /Explain a user/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Explain a user' });
  await user.type(within(dialog).getByRole('textbox'), 'id-000000069{Enter}');
  await waitFor(() => expect(address()).toBe('/runs/run_live/users/id-000000069'));
});

test(
  'a stream that breaks is tried again, and the page says that its figures are old',
  { timeout: 20_000 },
  async () => {
    const { api } = await openRun();
    api.answer({
      'GET /v1/runs/:id/progress': () => problem(503, 'database-unavailable', 'the database does not answer'),
    });
    api.breakStream();
    const banner = await screen.findByText(/connecting again/, undefined, { timeout: 9_000 });
    expect(banner.isConnected).toBe(true);
    expect(screen.getByRole('button', { name: /^Pause/ }).getAttribute('aria-disabled')).toBeNull();
    expect(screen.getByRole('button', { name: 'Cancel…' }).getAttribute('aria-disabled')).toBe('true');
  },
);

test('a run that is not there says so, and one that has ended leads to its report', async () => {
  await openConsole('/runs/run_none', {
    answers: { 'GET /v1/runs/:id/progress': () => problem(404, 'not-found', 'there is no run "run_none"') },
  });
  expect(await screen.findByText(/There is no run "run_none"/)).toBeDefined();
});

test('a run that has ended leads to its report', async () => {
  await openConsole('/runs/run_live', {
    answers: { 'GET /v1/runs/:id/progress': { ...progress, state: 'completed', endedAt: progress.asOf } },
  });
  const link = await screen.findByRole('link', { name: 'Open report' });
  expect(link.getAttribute('href')).toBe('/runs/run_live/report');
});
