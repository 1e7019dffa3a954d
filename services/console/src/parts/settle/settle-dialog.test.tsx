// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Settlement } from '#client/types.gen.ts';
import { problem, type Answers } from '../../../testing/fakes/fake-api.ts';
import { actionTypes } from '../../../testing/installation/installation.ts';
import { progress } from '../../../testing/runs/live-run.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { settlementPreview } from '../../../testing/audiences/user-files.ts';
import { reportWithUnknown, settlement } from '../../../testing/runs/unknown-users.ts';

const settles = 'POST /v1/runs/run_ended/settle';
const known = (...items: Settlement[]) => ({ 'GET /v1/runs/:id/settlements': { items, next: null } });
const reported = (users: Record<string, number>) => ({ 'GET /v1/runs/run_ended/report': reportWithUnknown(users) });

/** The endpoint of rewards can report the outcome of its users (class C). */
const readable = {
  'GET /v1/action-types': {
    ...actionTypes,
    items: actionTypes.items.map((type) => (type.name === 'award-reward' ? { ...type, class: 'C' } : type)),
  },
};

async function openDialog(answers: Answers = {}) {
  const opened = await openConsole('/runs/run_ended/report', {
    answers: { ...reported({ SG: 8, VN: 4 }), ...answers },
  });
  await opened.user.click(await screen.findByRole('button', { name: 'Settle 12 unknown…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Settle 12 unknown users?' });
  return { ...opened, dialog: within(dialog) };
}

type Opened = Awaited<ReturnType<typeof openDialog>>;

async function sayByHand({ user, dialog }: Opened, userId: string): Promise<void> {
  await user.click(dialog.getByRole('button', { name: 'One user by hand' }));
  await user.type(dialog.getByLabelText(/^User id/), userId);
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the dialog before unknown users are settled', () => {
  test('lists the users and the effect of each outcome, and that no notification is sent', async () => {
    const { dialog } = await openDialog();
    const text = () => screen.getByRole('dialog').textContent;
    expect(text()).toContain('Step 1, “Give a reward”: SG 8, VN 4.');
    await waitFor(() => expect(text()).toContain('It has no status endpoint'));
    expect(text()).toContain('Later steps of this run stay skipped');
    expect(text()).toContain('can be retried. Its units return to the budget.');
    expect(text()).toContain('No notification is sent, and no user is called');
    expect(await dialog.findByText('There are no settlements yet.')).toBeDefined();
  });

  test('lists earlier settlements with their keys', async () => {
    const byStatus = { by: 'status', step: 1, settled: { succeeded: 3, failed: 1 }, leftUnknown: 8 } as const;
    const { dialog } = await openDialog(known(settlement(byStatus)));
    const table = await dialog.findByRole('table', { name: /^Settlements so far/ });
    const [, row] = within(table).getAllByRole('row');
    expect(row?.textContent).toContain('the status endpoint, step 1, anna');
    expect(row?.textContent).toContain('3 succeeded, 1 failed, 8 still unknown');
  });

  test('does not offer an endpoint without status queries', async () => {
    const { dialog } = await openDialog();
    const offered = within(dialog.getByRole('group', { name: 'Source of the outcomes' })).getAllByRole('button');
    expect(offered.map(({ textContent }) => textContent)).toEqual(['By a file', 'One user by hand']);
  });

  test('requires a confirmation before a settlement that cannot be undone', async () => {
    const opened = await openDialog();
    await sayByHand(opened, 'sg-000000007');
    const confirm = opened.dialog.getByRole('button', { name: 'Settle as succeeded' });
    expect(confirm.hasAttribute('disabled')).toBe(true);
    await opened.user.click(opened.dialog.getByRole('checkbox'));
    expect(confirm.hasAttribute('disabled')).toBe(false);
  });
});

describe('unknown users', () => {
  test('are settled one by one, and the figures are loaded again after each', async () => {
    const opened = await openDialog();
    const { api, user, dialog } = opened;
    api.answer({
      [settles]: () => {
        api.answer({ ...reported({ SG: 7, VN: 4 }), ...known(settlement()) });
        return settlement({ settled: { succeeded: 0, failed: 1 } });
      },
    });
    await sayByHand(opened, 'sg-000000007');
    await user.click(dialog.getByRole('button', { name: 'It was not' }));
    await user.type(dialog.getByLabelText(/^Why/), 'no-account');
    await user.selectOptions(dialog.getByLabelText('Country'), 'SG');
    await user.click(dialog.getByRole('checkbox'));
    await user.click(dialog.getByRole('button', { name: 'Settle as failed' }));
    expect((await dialog.findByRole('status')).textContent).toContain('Settled.');
    const body = { by: 'hand', userId: 'sg-000000007', step: 1, outcome: 'failed', code: 'no-account', country: 'SG' };
    expect(api.requestsTo(settles).map((each) => each.body)).toEqual([body]);
    await screen.findByRole('dialog', { name: 'Settle 11 unknown users?' });
    expect(dialog.getByRole('button', { name: 'Settle more' })).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    expect(await screen.findByRole('button', { name: 'Settle 11 unknown…' })).toBeDefined();
  });

  test('are settled by a file after consent to skip rejected lines, and the number of these lines is sent', async () => {
    const detail = '10 of 13 rows are rejected';
    const preview = { ...settlementPreview, rejected: 10, refusal: { code: 'too-many-rejected', detail } };
    const { api, user, dialog } = await openDialog({ 'POST /v1/user-files/preview': preview, [settles]: settlement() });
    const file = new File(['{"userId":"u1","step":1,"outcome":"succeeded"}'], 'settled.ndjson');
    await user.upload(dialog.getByLabelText(/^File/), file);
    await user.click(await dialog.findByRole('checkbox', { name: /^The records of/ }));
    await user.click(await dialog.findByRole('button', { name: 'Skip 10 lines and settle' }));
    await waitFor(() => expect(api.requestsTo(settles)).toHaveLength(1));
    const [previewRequest] = api.requestsTo('POST /v1/user-files/preview');
    expect([previewRequest?.query, previewRequest?.headers.get('content-type')]).toEqual([
      { for: 'settlement' },
      'application/x-ndjson',
    ]);
    expect(api.requestsTo(settles)[0]?.query).toEqual({ acceptRejected: '10' });
  });

  test('are not settled by a file in which no line settles a user', async () => {
    const preview = { ...settlementPreview, refusal: { code: 'no-users', detail: 'its only row is no user' } };
    const { user, dialog } = await openDialog({ 'POST /v1/user-files/preview': preview });
    await user.upload(dialog.getByLabelText(/^File/), new File(['x'], 'settled.csv'));
    await user.click(await dialog.findByRole('checkbox', { name: /^The records of/ }));
    expect(await dialog.findByText('Its only row is no user.')).toBeDefined();
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Settle by this file' }).disabled).toBe(true);
  });

  test('are settled by a file that is sent unchanged, and lines that settled no user are listed', async () => {
    const { api, user, dialog } = await openDialog({ 'POST /v1/user-files/preview': settlementPreview });
    const rejects = [{ line: 3, userId: 'sg-000000009', rule: 'not-unknown' }];
    const made = settlement({ by: 'file', settled: { succeeded: 11, failed: 1 }, rejected: 1, rejects });
    api.answer({
      [settles]: () => {
        api.answer({ ...reported({}), ...known(made) });
        return made;
      },
    });
    const lines = 'userId,step,outcome\nsg-000000007,1,succeeded\nsg-000000009,1,failed\n';
    await user.upload(dialog.getByLabelText(/^File/), new File([lines], 'settled.csv', { type: 'text/csv' }));
    expect(await dialog.findByText('Step 1: 11 succeeded, 1 failed')).toBeDefined();
    expect(dialog.getByRole('table', { name: 'Rejected lines' })).toBeDefined();
    await user.click(dialog.getByRole('checkbox', { name: /^The records of/ }));
    await user.click(dialog.getByRole('button', { name: 'Settle by this file' }));
    // The result stays visible although no unknown users are left.
    await screen.findByRole('dialog', { name: 'No unknown users left' });
    expect(dialog.getByRole('status').textContent).toContain('11 succeeded, 1 failed, 1 line settled no user.');
    expect(
      within(dialog.getByRole('list', { name: 'Lines that settled no user' })).getByRole('listitem').textContent,
    ).toBe('Line 3 has a user who is not unknown in that step: sg-000000009');
    const [sent] = api.requestsTo(settles);
    expect([sent?.headers.get('content-type'), sent?.body]).toEqual(['text/csv', lines]);
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Settle/ })).toBeNull());
  });

  const running = settlement({ by: 'status', state: 'running', settled: { succeeded: 0, failed: 0 }, endedAt: null });
  const done = { ...running, state: 'done', settled: { succeeded: 3, failed: 1 } } as const;

  /**
   * Opens the dialog for an action with a status endpoint. As soon as a settlement was requested, the API answers that
   * it is running.
   */
  async function openReadable() {
    const opened = await openDialog(readable);
    const begin = () => {
      opened.api.answer(known(running));
      return running;
    };
    opened.api.answer({ [settles]: begin });
    await opened.dialog.findByRole('button', { name: 'Query the endpoint' });
    return opened;
  }

  test('are settled by the status endpoint in the background until all were queried', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { api, user, dialog } = await openReadable();
    await user.selectOptions(dialog.getByLabelText('Country'), 'VN');
    await user.click(dialog.getByRole('button', { name: 'Query 4 users' }));
    expect((await dialog.findByRole('status')).textContent).toContain('The endpoint is being queried.');
    expect(api.requestsTo(settles)[0]?.body).toEqual({ by: 'status', country: 'VN' });
    api.answer({ ...reported({ SG: 8 }), ...known(done) });
    await vi.advanceTimersByTimeAsync(2000);
    await waitFor(() => expect(dialog.getByRole('status').textContent).toContain('Settled. 3 succeeded, 1 failed.'));
    await screen.findByRole('dialog', { name: 'Settle 8 unknown users?' });
  });

  test('are settled in the background after the dialog is closed, and the figures follow', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { api, user, dialog } = await openReadable();
    await user.click(dialog.getByRole('button', { name: 'Query 12 users' }));
    await user.click(await dialog.findByRole('button', { name: 'Done' }));
    api.answer({ ...reported({ SG: 8 }), ...known(done) });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await screen.findByRole('button', { name: 'Settle 8 unknown…' })).toBeDefined();
  });

  test('stay unknown if the API refuses, and the input is kept with the reason', async () => {
    const opened = await openDialog({
      [settles]: () => problem(409, 'not-unknown', 'nobody of that id is unknown in that step'),
    });
    await sayByHand(opened, 'sg-1');
    await opened.user.click(opened.dialog.getByRole('checkbox'));
    await opened.user.click(opened.dialog.getByRole('button', { name: 'Settle as succeeded' }));
    const refused = await opened.dialog.findByRole('alert');
    expect(refused.textContent).toContain('Nobody of that id is unknown in that step. Nothing was settled.');
    expect(opened.dialog.getByLabelText(/^User id/)).toHaveProperty('value', 'sg-1');
  });
});

describe('the button that settles unknown users', () => {
  test('is shown on the live page of an ended run', async () => {
    const ended = reportWithUnknown({ SG: 8 });
    const answers = {
      'GET /v1/runs/:id/progress': { ...progress, steps: ended.steps, countries: ended.countries, ...over },
      'GET /v1/runs/:id/report': ended,
    };
    const { user } = await openConsole('/runs/run_live', { answers });
    await user.click(await screen.findByRole('button', { name: 'Settle 8 unknown…' }));
    expect(await screen.findByRole('dialog', { name: 'Settle 8 unknown users?' })).toBeDefined();
  });

  test('is not shown while the run is under way', async () => {
    const report = { ...reportWithUnknown({ SG: 8 }), state: 'running', endedAt: null };
    await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': report } });
    await screen.findByText(/^8 users are unknown/);
    expect(screen.queryByRole('button', { name: /^Settle/ })).toBeNull();
  });

  test('is disabled once the users of the run are deleted', async () => {
    const report = { ...reportWithUnknown({ SG: 8 }), failuresKept: false };
    await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': report } });
    await screen.findByText('The failed users are no longer kept; the figures remain.');
    expect(screen.queryByRole('button', { name: /^Settle/ })).toBeNull();
  });
});

const over = { state: 'completed_with_failures', endedAt: '2026-11-22T20:00:00.000Z' };
