// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Settlement } from '#client/types.gen.ts';
import { problem, type Answers } from '../../testing/fake-api.ts';
import { actionTypes } from '../../testing/installation.ts';
import { progress } from '../../testing/live-run.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { settlementPreview } from '../../testing/user-files.ts';
import { reportWithUnknown, settlement } from '../../testing/unknown-users.ts';

const settles = 'POST /v1/runs/run_ended/settle';
const known = (...items: Settlement[]) => ({ 'GET /v1/runs/:id/settlements': { items, next: null } });
const reported = (users: Record<string, number>) => ({ 'GET /v1/runs/run_ended/report': reportWithUnknown(users) });

/** The endpoint of rewards says what became of its users. */
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

describe('before unknown users are settled', () => {
  test('the dialog says who they are, what each answer does, and that nobody is told', async () => {
    const { dialog } = await openDialog();
    const text = () => screen.getByRole('dialog').textContent;
    expect(text()).toContain('Step 1, “Give a reward”: SG 8, VN 4.');
    await waitFor(() => expect(text()).toContain('It has no status endpoint'));
    expect(text()).toContain('Later steps of this run stay skipped');
    expect(text()).toContain('can be tried again. Its units go back to the budget.');
    expect(text()).toContain('No notification is sent, and no user is called');
    expect(await dialog.findByText('Nothing was looked up or said of them yet.')).toBeDefined();
  });

  test('it lists what was looked up before, and by whom', async () => {
    const asked = { by: 'status', step: 1, settled: { succeeded: 3, failed: 1 }, leftUnknown: 8 } as const;
    const { dialog } = await openDialog(known(settlement(asked)));
    const table = await dialog.findByRole('table', { name: /^What was looked up/ });
    const [, row] = within(table).getAllByRole('row');
    expect(row?.textContent).toContain('the status endpoint, step 1, anna');
    expect(row?.textContent).toContain('3 succeeded, 1 failed, 8 still unknown');
  });

  test('an endpoint that cannot be asked is not offered to be', async () => {
    const { dialog } = await openDialog();
    const offered = within(dialog.getByRole('group', { name: 'Who says how it ended' })).getAllByRole('button');
    expect(offered.map(({ textContent }) => textContent)).toEqual(['By a file', 'One user by hand']);
  });

  test('what cannot be taken back waits until the books are said to say so', async () => {
    const opened = await openDialog();
    await sayByHand(opened, 'sg-000000007');
    const confirm = opened.dialog.getByRole('button', { name: 'Settle as succeeded' });
    expect(confirm.hasAttribute('disabled')).toBe(true);
    await opened.user.click(opened.dialog.getByRole('checkbox'));
    expect(confirm.hasAttribute('disabled')).toBe(false);
  });
});

describe('unknown users are settled', () => {
  test('one by hand: the figures are read anew, and the rest can follow', async () => {
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
    expect(api.askedFor(settles).map((each) => each.body)).toEqual([body]);
    await screen.findByRole('dialog', { name: 'Settle 11 unknown users?' });
    expect(dialog.getByRole('button', { name: 'Settle more' })).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    expect(await screen.findByRole('button', { name: 'Settle 11 unknown…' })).toBeDefined();
  });

  test('many by a file needs consent to leave out rejected lines, and sends their number', async () => {
    const detail = '10 of 13 rows are rejected';
    const preview = { ...settlementPreview, rejected: 10, refusal: { code: 'too-many-rejected', detail } };
    const { api, user, dialog } = await openDialog({ 'POST /v1/user-files/preview': preview, [settles]: settlement() });
    const file = new File(['{"userId":"u1","step":1,"outcome":"succeeded"}'], 'settled.ndjson');
    await user.upload(dialog.getByLabelText(/^File/), file);
    await user.click(await dialog.findByRole('checkbox', { name: /^The books of/ }));
    await user.click(await dialog.findByRole('button', { name: 'Leave out 10 lines and settle' }));
    await waitFor(() => expect(api.askedFor(settles)).toHaveLength(1));
    const [asked] = api.askedFor('POST /v1/user-files/preview');
    expect([asked?.query, asked?.headers.get('content-type')]).toEqual([{ for: 'settlement' }, 'application/x-ndjson']);
    expect(api.askedFor(settles)[0]?.query).toEqual({ acceptRejected: '10' });
  });

  test('many by a file is not offered if no line of it settles a user', async () => {
    const preview = { ...settlementPreview, refusal: { code: 'no-users', detail: 'its only row is no user' } };
    const { user, dialog } = await openDialog({ 'POST /v1/user-files/preview': preview });
    await user.upload(dialog.getByLabelText(/^File/), new File(['x'], 'settled.csv'));
    await user.click(await dialog.findByRole('checkbox', { name: /^The books of/ }));
    expect(await dialog.findByText('Its only row is no user.')).toBeDefined();
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Settle by this file' }).disabled).toBe(true);
  });

  test('many by a file, which is sent as it is; lines that settled nobody are told', async () => {
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
    await user.click(dialog.getByRole('checkbox', { name: /^The books of/ }));
    await user.click(dialog.getByRole('button', { name: 'Settle by this file' }));
    // What came of it stays in sight, though nobody is left to be settled.
    await screen.findByRole('dialog', { name: 'Nobody is unknown any more' });
    expect(dialog.getByRole('status').textContent).toContain('11 succeeded, 1 failed, 1 line settled nobody.');
    expect(
      within(dialog.getByRole('list', { name: 'Lines that settled nobody' })).getByRole('listitem').textContent,
    ).toBe('Line 3 names nobody who is unknown in that step: sg-000000009');
    const [sent] = api.askedFor(settles);
    expect([sent?.headers.get('content-type'), sent?.body]).toEqual(['text/csv', lines]);
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Settle/ })).toBeNull());
  });

  const running = settlement({ by: 'status', state: 'running', settled: { succeeded: 0, failed: 0 }, endedAt: null });
  const done = { ...running, state: 'done', settled: { succeeded: 3, failed: 1 } } as const;

  /** With a status endpoint, which is being asked once it was wanted. */
  async function openReadable() {
    const opened = await openDialog(readable);
    const begin = () => {
      opened.api.answer(known(running));
      return running;
    };
    opened.api.answer({ [settles]: begin });
    await opened.dialog.findByRole('button', { name: 'Ask the endpoint' });
    return opened;
  }

  test('by the status endpoint in the background, until all of them were asked for', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { api, user, dialog } = await openReadable();
    await user.selectOptions(dialog.getByLabelText('Country'), 'VN');
    await user.click(dialog.getByRole('button', { name: 'Ask about 4 users' }));
    expect((await dialog.findByRole('status')).textContent).toContain('The endpoint is being asked.');
    expect(api.askedFor(settles)[0]?.body).toEqual({ by: 'status', country: 'VN' });
    api.answer({ ...reported({ SG: 8 }), ...known(done) });
    await vi.advanceTimersByTimeAsync(2000);
    await waitFor(() => expect(dialog.getByRole('status').textContent).toContain('Settled. 3 succeeded, 1 failed.'));
    await screen.findByRole('dialog', { name: 'Settle 8 unknown users?' });
  });

  test('in the background also when the dialog is closed: the figures follow', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { api, user, dialog } = await openReadable();
    await user.click(dialog.getByRole('button', { name: 'Ask about 12 users' }));
    await user.click(await dialog.findByRole('button', { name: 'Done' }));
    api.answer({ ...reported({ SG: 8 }), ...known(done) });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await screen.findByRole('button', { name: 'Settle 8 unknown…' })).toBeDefined();
  });

  test('or not: the API says why, and what was typed stays', async () => {
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

describe('where they are told of', () => {
  test('a live run that has ended leads there too', async () => {
    const ended = reportWithUnknown({ SG: 8 });
    const answers = {
      'GET /v1/runs/:id/progress': { ...progress, ...{ steps: ended.steps, countries: ended.countries }, ...over },
      'GET /v1/runs/:id/report': ended,
    };
    const { user } = await openConsole('/runs/run_live', { answers });
    await user.click(await screen.findByRole('button', { name: 'Settle 8 unknown…' }));
    expect(await screen.findByRole('dialog', { name: 'Settle 8 unknown users?' })).toBeDefined();
  });

  test('a run that goes on is not settled: its workers may still find out', async () => {
    const report = { ...reportWithUnknown({ SG: 8 }), state: 'running', endedAt: null };
    await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': report } });
    await screen.findByText(/^8 users are unknown/);
    expect(screen.queryByRole('button', { name: /^Settle/ })).toBeNull();
  });

  test('once the users are no longer kept, nobody can be settled', async () => {
    const report = { ...reportWithUnknown({ SG: 8 }), failuresKept: false };
    await openConsole('/runs/run_ended/report', { answers: { 'GET /v1/runs/run_ended/report': report } });
    await screen.findByText('Who they were is no longer kept; the figures stay.');
    expect(screen.queryByRole('button', { name: /^Settle/ })).toBeNull();
  });
});

const over = { state: 'completed_with_failures', endedAt: '2026-11-22T20:00:00.000Z' };
