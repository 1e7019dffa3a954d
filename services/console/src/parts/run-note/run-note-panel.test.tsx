// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const written = {
  revision: 3,
  text: 'The app store was down until 11:00.',
  writtenAt: '2026-11-23T04:00:00.000Z',
  writtenBy: { id: 'key_1', name: 'mei' },
};

async function openNote(answers: object = {}) {
  const opened = await openConsole('/runs/run_ended/report', {
    answers: { 'GET /v1/runs/:id/note': written, ...answers },
  });
  const panel = within(await screen.findByRole('region', { name: 'Note' }));
  return { ...opened, panel };
}

describe('the note on a run', () => {
  it('shows its text, its author and its time', async () => {
    const { panel } = await openNote();
    expect(await panel.findByText(written.text)).toBeDefined();
    expect(panel.getByText(/^mei/).textContent).toMatch(/^mei, .*23 Nov/);
  });

  it('is saved with the revision that was loaded', async () => {
    const { panel, user, api } = await openNote({ 'PUT /v1/runs/:id/note': { ...written, revision: 4 } });
    await user.click(await panel.findByRole('button', { name: 'Edit note' }));
    const field = await screen.findByRole('textbox', { name: 'Note' });
    await user.clear(field);
    await user.type(field, 'Back since noon.');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    const [put] = api.requestsTo('PUT /v1/runs/run_ended/note');
    expect(put?.body).toEqual({ text: 'Back since noon.' });
    expect(put?.headers.get('if-match')).toBe('"3"');
  });

  it('is removed by a button of its dialog', async () => {
    const { panel, user, api } = await openNote({ 'PUT /v1/runs/:id/note': { ...written, text: null } });
    await user.click(await panel.findByRole('button', { name: 'Edit note' }));
    await user.click(await screen.findByRole('button', { name: 'Remove note' }));
    expect(api.requestsTo('PUT /v1/runs/run_ended/note')[0]?.body).toEqual({ text: null });
  });

  it('keeps the typed text if another person has changed it meanwhile', async () => {
    const detail = 'the note on run_ended is at revision 4 by now';
    const { panel, user } = await openNote({
      'PUT /v1/runs/:id/note': () => problem(412, 'precondition-failed', detail),
    });
    await user.click(await panel.findByRole('button', { name: 'Edit note' }));
    await user.type(await screen.findByRole('textbox', { name: 'Note' }), ' More.');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText(/at revision 4 by now/)).toBeDefined();
    expect(screen.getByDisplayValue(`${written.text} More.`)).toBeDefined();
  });
});
