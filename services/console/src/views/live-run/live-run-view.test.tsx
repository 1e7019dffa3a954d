// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole, type OpenConsole, type Role } from '../../../testing/open-console.tsx';
import { liveReport } from '../../../testing/runs/live-report.ts';
import { cancelPreview, events as liveEvents, progress } from '../../../testing/runs/live-run.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Opens the page of the run and waits for its first message. */
async function openRun(
  state: typeof progress.state = 'running',
  role: Role = 'operator',
  changes: Partial<typeof progress> = {},
): Promise<OpenConsole> {
  const current = { ...progress, state, ...changes };
  const opened = await openConsole('/runs/run_live', {
    role,
    answers: { 'GET /v1/runs/:id/progress': current, 'POST /v1/runs/:id/pause': {}, 'POST /v1/runs/:id/resume': {} },
  });
  await screen.findByRole('heading', { name: 'Payday, slowly' });
  opened.api.sendEvent('progress', current);
  await screen.findByText(/^updated \d+ s ago/);
  return opened;
}

test('a run shows its progress by step and country, and that its figures add up', async () => {
  await openRun();
  expect(screen.getByText('Through the chain')).toBeDefined();
  const table = screen.getByRole('region', { name: /Users by step and country/ });
  expect(within(table).getAllByRole('row').length).toBeGreaterThan(6);
  expect(screen.getByText('Adds up')).toBeDefined();
  expect((await screen.findAllByText('out-of-stock')).length).toBeGreaterThan(0);
  expect(screen.getByText(/Run started with 2 countries/)).toBeDefined();
});

test('a run with variants shows the figures of each variant by step', async () => {
  const [line] = progress.steps;
  const half = { ...(line ?? expect.fail()), audience: 500, succeeded: 400, pending: 100 };
  const variants = ['A', 'B'].map((name) => ({ name, weight: 5000, users: 500, heldOut: 0, steps: [half] }));
  await openConsole('/runs/run_live', { answers: { 'GET /v1/runs/:id/progress': { ...progress, variants } } });
  const panel = await screen.findByRole('region', { name: 'Variants in step 1' });
  expect(within(panel).getAllByText('400')).toHaveLength(2);
  expect(screen.queryByText('Differences')).toBeNull();
});

test('a run shows its requester beside its start and in its history', async () => {
  const [created, ...others] = liveEvents.items;
  const items = [
    { ...(created ?? expect.fail()), detail: { by: { keyId: 'key_1', keyName: 'growth-sea' } } },
    ...others,
  ];
  await openConsole('/runs/run_live', { answers: { 'GET /v1/runs/:id/events': { items, next: null } } });
  expect(await screen.findByText('Run created, requested by growth-sea')).toBeDefined();
  expect(screen.getByText(/^Started/).textContent).toMatch(/ by growth-sea$/);
});

test('figures of the stream replace the loaded ones', async () => {
  const { api } = await openRun();
  const [first, ...others] = progress.steps;
  if (!first) throw new Error('the run has no steps');
  api.sendEvent('progress', { ...progress, steps: [{ ...first, succeeded: 7_654_321 }, ...others] });
  expect((await screen.findAllByText(/7,654,321/)).length).toBeGreaterThan(0);
});

test('the last failures are loaded when the run ends, and until then the page shows that the reasons are being loaded', async () => {
  const { api } = await openConsole('/runs/run_live', {
    answers: { 'GET /v1/runs/:id/report': { ...liveReport, failures: [] } },
  });
  expect(await screen.findByText('20 users failed; their reasons are being loaded.')).toBeDefined();
  api.answer({ 'GET /v1/runs/:id/report': liveReport });
  api.sendEvent('progress', { ...progress, state: 'completed_with_failures', endedAt: progress.asOf });
  expect((await screen.findAllByText('out-of-stock')).length).toBeGreaterThan(0);
  expect(screen.getByText('Completed').parentElement?.textContent).toContain('Completedwith failures');
});

describe('the pause dialog', () => {
  test('sends the typed reason when it is confirmed', async () => {
    const { api, user } = await openRun();
    await user.keyboard('p');
    const dialog = await screen.findByRole('dialog', { name: 'Pause this run?' });
    await user.type(within(dialog).getByRole('textbox'), 'requested by the receiver');
    await user.click(within(dialog).getByRole('button', { name: 'Pause run' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const [request] = api.requestsTo('POST /v1/runs/run_live/pause');
    expect(request?.body).toEqual({ reason: 'requested by the receiver' });
    expect(request?.headers.get('x-csrf-token')).toBe('csrf-of-this-session');
  });

  test('shows a refusal, and Keep running closes it without a change', async () => {
    const { api, user } = await openRun();
    api.answer({ 'POST /v1/runs/:id/pause': () => problem(409, 'wrong-state', 'the run has ended') });
    await user.click(screen.getByRole('button', { name: /^Pause/ }));
    await user.click(await screen.findByRole('button', { name: 'Pause run' }));
    expect((await screen.findByText(/The run has ended/)).isConnected).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Keep running' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('counts its users again each time it opens', async () => {
    const { api, user } = await openRun();
    for (const users of [4321, 1234]) {
      api.answer({ 'GET /v1/runs/:id/cancel-preview': { ...cancelPreview, notStartedUsers: users, halfWayUsers: 0 } });
      await user.click(screen.getByRole('button', { name: /^Pause/ }));
      const dialog = await screen.findByRole('dialog', { name: 'Pause this run?' });
      await within(dialog).findByText(`${users.toLocaleString('en-US')} have no step yet`, { exact: false });
      await user.click(within(dialog).getByRole('button', { name: 'Keep running' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    }
    expect(api.requestsTo('GET /v1/runs/run_live/cancel-preview')).toHaveLength(2);
  });

  test('closes with Escape', async () => {
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
  await waitFor(() => expect(api.requestsTo('POST /v1/runs/run_live/resume')).toHaveLength(1));
});

test('a test run lists its real effects', async () => {
  const steps = progress.steps.map((line, index) => ({
    ...line,
    mode: index === 0 ? ('test' as const) : ('live' as const),
  }));
  await openRun('running', 'operator', { kind: 'test', steps });
  expect(
    screen.getByText(/really received “Send a message”. Calls of “Give a reward” were marked as a test/),
  ).toBeDefined();
});

describe('a run with a canary', () => {
  test('shows that only the first users are called', async () => {
    await openRun('running', 'operator', { canary: 'serving' });
    expect(screen.getByText('Canary: only the first users are called.')).toBeDefined();
  });

  test('waits until a person continues it', async () => {
    const stateReason = 'canary: 120 users have ended, 5 % failed in step 1';
    const { api, user } = await openRun('paused', 'operator', { canary: 'waits', stateReason });
    expect(screen.getByText(/^Canary: 120 users have ended, 5 % failed in step 1/)).toBeDefined();
    expect(screen.getByText(/No other user is called until a person continues the run/)).toBeDefined();
    expect(screen.getByRole('button', { name: 'Cancel…' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Continue…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Continue with all other users?' });
    expect(within(dialog).getByRole('button', { name: 'Stay paused' })).toBeDefined();
    await within(dialog).findByText(/About 18,700 more are not fed yet, and begin later/);
    await user.click(within(dialog).getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(api.requestsTo('POST /v1/runs/run_live/resume')).toHaveLength(1));
  });
});

describe('the cancel dialog', () => {
  test('requires the typed word and shows half-way users', async () => {
    const { api, user } = await openRun();
    api.answer({ 'POST /v1/runs/:id/cancel': {} });
    await user.click(screen.getByRole('button', { name: 'Cancel…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel this run for good?' });
    await within(dialog).findByText('users half-way');
    const confirm = within(dialog).getByRole('button', { name: 'Cancel run' });
    expect(confirm.hasAttribute('disabled')).toBe(true);
    await user.type(within(dialog).getByRole('textbox'), 'Cancel{Enter}');
    await waitFor(() => expect(api.requestsTo('POST /v1/runs/run_live/cancel')).toHaveLength(1));
  });

  test('offers a pause instead', async () => {
    const { user } = await openRun();
    await user.click(screen.getByRole('button', { name: 'Cancel…' }));
    await user.click(await screen.findByRole('button', { name: 'pause it instead' }));
    await screen.findByRole('dialog', { name: 'Pause this run?' });
  });
});

test('a viewer sees the disabled actions of a run', async () => {
  const { user } = await openRun('running', 'viewer');
  const pause = screen.getByRole('button', { name: /^Pause/ });
  expect(pause.getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByRole('button', { name: 'Limits…' }).getAttribute('aria-disabled')).toBe('true');
  await user.click(pause);
  await user.keyboard('p');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the menu of a run leads to the explanation of a user', async () => {
  const { user, address } = await openRun();
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.keyboard('{ArrowDown}{ArrowUp}{End}{Home}');
  expect(document.activeElement?.textContent).toContain('Explain a user');
  await user.click(screen.getByRole('menuitem', { name: /Explain a user/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Explain a user' });
  await user.type(within(dialog).getByRole('textbox'), 'id-000000069{Enter}');
  await waitFor(() => expect(address()).toBe('/runs/run_live/users/id-000000069'));
});

test('a broken stream is reconnected, and the page shows that its figures are outdated', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { api } = await openRun();
  api.answer({
    'GET /v1/runs/:id/progress': () => problem(503, 'database-unavailable', 'the database does not answer'),
  });
  api.breakStream();
  await vi.advanceTimersByTimeAsync(6_000);
  expect((await screen.findByText(/connecting again/)).isConnected).toBe(true);
  expect(screen.getByRole('button', { name: /^Pause/ }).getAttribute('aria-disabled')).toBeNull();
  expect(screen.getByRole('button', { name: 'Cancel…' }).getAttribute('aria-disabled')).toBe('true');
});

test('a missing run shows the error of the API', async () => {
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
