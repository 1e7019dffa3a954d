// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { counts, step } from '../../../testing/installation/quarantine.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const nothing = { items: [], next: null };

test('the view shows each kind that the API counts', async () => {
  await openConsole('/quarantine');
  const kinds = within(await screen.findByRole('group', { name: 'Kind of item' })).getAllByRole('button');
  expect(kinds.map(({ textContent }) => textContent.replace(/s? ?\d*$/, '').toLowerCase()).toSorted()).toEqual(
    Object.keys(counts).toSorted(),
  );
});

describe('quarantined messages', () => {
  test('show one message of the chosen group, with its bytes', async () => {
    const { user } = await openConsole('/quarantine');
    expect(await screen.findByText(/"step": "first"/)).toBeDefined();
    expect(screen.getByText('2 chosen')).toBeDefined();
    await user.keyboard(']');
    await screen.findByText(/2 of 2/);
  });

  test('are replayed as a group after a confirmation', async () => {
    const { api, user } = await openConsole('/quarantine', {
      answers: { 'POST /v1/quarantine/messages/replay': { items: 2, expired: 0 } },
    });
    await user.click(await screen.findByRole('button', { name: 'Replay 2…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Replay 2 messages?' });
    await user.click(within(dialog).getByRole('button', { name: 'Replay 2' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.requestsTo('POST /v1/quarantine/messages/replay')[0]?.body).toEqual({
      topic: 'muster.steps.award-reward.VN',
      reason: 'message-invalid',
    });
  });

  test('show in the dialog why a discard failed', async () => {
    const { user } = await openConsole('/quarantine', {
      answers: {
        'POST /v1/quarantine/messages/discard': () => problem(409, 'wrong-state', 'one of them is being replayed'),
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Discard 2…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Discard 2 messages?' });
    await user.click(within(dialog).getByRole('button', { name: 'Discard 2' }));
    expect((await within(dialog).findByRole('alert')).textContent).toContain('one of them is being replayed');
  });

  test('cannot be replayed by a manager, who sees the role that can', async () => {
    await openConsole('/quarantine', { role: 'manager' });
    const replay = await screen.findByRole('button', { name: 'Replay 2…' });
    expect(replay.getAttribute('aria-disabled')).toBe('true');
    replay.focus();
    expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role operator');
  });

  test('are replaced by a text about their purpose if there are none', async () => {
    const answers = { 'GET /v1/quarantine/messages/groups': nothing, 'GET /v1/quarantine/steps': nothing };
    await openConsole('/quarantine', { answers });
    expect(await screen.findByText('No message is in quarantine')).toBeDefined();
  });

  test('are replaced by an error if the request of their groups fails', async () => {
    await openConsole('/quarantine', {
      answers: { 'GET /v1/quarantine/messages/groups': () => problem(400, 'invalid-request', 'no') },
    });
    expect(await screen.findByText('The quarantined messages could not be read')).toBeDefined();
  });
});

describe('quarantined steps', () => {
  test('show their calls and their users', async () => {
    const { user, address } = await openConsole('/quarantine');
    await user.click(await screen.findByRole('button', { name: /^Steps/ }));
    await waitFor(() => expect(address()).toBe('/quarantine?kind=step'));
    const calls = await screen.findByRole('table', { name: 'Calls of the step' });
    expect(within(calls).getByText('its lease lapsed')).toBeDefined();
    expect(screen.getByRole('link', { name: 'id-000000001' })).toBeDefined();
  });

  test.each([
    ['Replay…', 'Replay 1', 'replay'],
    ['Discard…', 'Discard 1', 'discard'],
  ])('are decided about by the button %s after a confirmation', async (button, confirm, verb) => {
    const route = `POST /v1/quarantine/steps/${step.id}/${verb}`;
    const { api, user } = await openConsole('/quarantine?kind=step', {
      answers: { [route]: { kind: 'step', id: step.id, state: 'replayed' } },
    });
    await user.click(await screen.findByRole('button', { name: button }));
    await user.click(await screen.findByRole('button', { name: confirm }));
    await waitFor(() => expect(api.requestsTo(route)).toHaveLength(1));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('show the reason if they cannot be replayed', async () => {
    await openConsole('/quarantine?kind=step', {
      answers: { 'GET /v1/quarantine/steps/:id': { ...step, replayable: false, whyNot: 'its run is cancelled' } },
    });
    const again = await screen.findByRole('button', { name: 'Replay…' });
    expect(again.getAttribute('aria-disabled')).toBe('true');
    again.focus();
    expect((await screen.findByRole('tooltip')).textContent).toContain('its run is cancelled');
  });

  test('are replaced by a text about their purpose if there are none', async () => {
    await openConsole('/quarantine?kind=step', { answers: { 'GET /v1/quarantine/steps': nothing } });
    expect(await screen.findByText('No step is in quarantine')).toBeDefined();
  });
});
