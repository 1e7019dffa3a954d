// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { progress } from '../../../testing/runs/live-run.ts';
import { differences, reportOfVariants, variants } from '../../../testing/runs/variants.ts';

const waiting = {
  ...progress,
  state: 'paused' as const,
  stateReason: 'canary: 30,000 users have ended, none failed; a person has to choose a variant',
  canary: 'waits' as const,
  variantChoice: { options: ['A', 'B'], chosen: null },
  variants,
};

/** Opens the page of a run whose canary has ended, or is being called. */
async function openWaiting(changes: Partial<typeof progress> = {}) {
  const current = { ...waiting, ...changes };
  const opened = await openConsole('/runs/run_live', {
    answers: {
      'GET /v1/runs/:id/progress': current,
      'GET /v1/runs/:id/report': { ...reportOfVariants, differences },
      'POST /v1/runs/:id/resume': {},
    },
  });
  await screen.findByRole('heading', { name: 'Payday, slowly' });
  return opened;
}

async function openDialog() {
  const opened = await openWaiting();
  await opened.user.click(screen.getByRole('button', { name: 'Choose a variant…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Choose a variant' });
  await within(dialog).findByText(/B is higher than A/);
  await within(dialog).findByText('about 18,700');
  return { ...opened, dialog };
}

describe('a run that waits for the choice of a variant', () => {
  test('shows the differences, and offers no other way to continue', async () => {
    await openWaiting();
    expect(screen.getByText(/All other users wait until then, and get the chosen variant/)).toBeDefined();
    expect((await screen.findAllByText('B is higher than A')).length).toBe(1);
    expect(screen.queryByRole('button', { name: /^(Resume|Continue)/ })).toBeNull();
  });

  test('announces the choice while its canary is being called', async () => {
    await openWaiting({ state: 'running', canary: 'serving' });
    expect(screen.getByText(/the run pauses until a person chooses the variant of all other users/)).toBeDefined();
    // The reasons of failures are of the same report as the differences.
    await screen.findAllByText('out-of-stock');
    expect(screen.queryByText('B is higher than A')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Choose a variant…' })).toBeNull();
  });

  test('is resumed without a choice if a person paused it before the end of its canary', async () => {
    await openWaiting({ canary: 'serving' });
    expect(screen.getByRole('button', { name: 'Resume' })).toBeDefined();
  });
});

describe('the dialog that chooses a variant', () => {
  test('shows users, rates and differences, and selects no variant at first', async () => {
    const { dialog } = await openDialog();
    const options = within(dialog).getAllByRole('radio');
    expect(options.map((option) => option.closest('label')?.textContent)).toEqual([
      'A 15,012 users“Send a message”: 97.3 % succeeded · 96.4 % delivered',
      'B 14,988 users“Send a message”: 97.3 % succeeded · 99.5 % delivered',
    ]);
    expect(options.some((option) => option.matches(':checked'))).toBe(false);
    expect(document.activeElement).toBe(options[0]);
    expect(within(dialog).getByText('Get the variant that you choose.')).toBeDefined();
    expect(within(dialog).getByRole('button', { name: 'Choose this variant' })).toHaveProperty('disabled', true);
  });

  test('resumes the run with the chosen variant and the note', async () => {
    const { api, user, dialog } = await openDialog();
    await user.click(within(dialog).getByRole('radio', { name: /^B / }));
    expect(within(dialog).getByText('Get B.')).toBeDefined();
    await user.type(within(dialog).getByRole('textbox'), 'by a wide margin');
    await user.click(within(dialog).getByRole('button', { name: 'Choose this variant' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const bodies = api.requestsTo('POST /v1/runs/run_live/resume').map(({ body }) => body);
    expect(bodies).toEqual([{ variant: 'B', reason: 'by a wide margin' }]);
  });

  test('stays open with the reason if another person has chosen meanwhile', async () => {
    const { api, user, dialog } = await openDialog();
    api.answer({ 'POST /v1/runs/:id/resume': () => problem(409, 'no-choice', 'A was chosen already') });
    await user.click(within(dialog).getByRole('radio', { name: /^B / }));
    await user.click(within(dialog).getByRole('button', { name: 'Choose this variant' }));
    expect(await within(dialog).findByText(/A was chosen already/)).toBeDefined();
    await user.click(within(dialog).getByRole('button', { name: 'Stay paused' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
