// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { caps } from '../../../testing/installation/engine.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { describeCap, describeChange, writtenOf } from './cap-form.ts';

const [weekly, rewards] = caps.caps;
if (!weekly || !rewards) throw new Error('there are no caps');

test('each cap shows its action types, its limit and its exempt campaigns', async () => {
  await openConsole('/caps');
  const row = await screen.findByRole('row', { name: /weekly-messages/ });
  expect(row.textContent).toMatch(/Send a message.*at most 3 times within 7 days.*SG, ID.*none/);
  const exempt = await within(screen.getByRole('row', { name: /one-reward/ })).findByText('Payday, slowly');
  expect(exempt.closest('tr')?.textContent).toMatch(/at most once within 1 calendar day/);
  expect(describeCap(weekly)).toBe('A user gets “Send a message” at most 3 times within 7 days, in SG, ID.');
  expect(describeCap(rewards)).toBe(
    'A user gets “Give a reward” and “Give points” together at most once within 1 calendar day, except in 1 campaign.',
  );
});

test('a new cap is appended on the loaded revision, and its problems are shown at their fields', async () => {
  const wrong = [{ pointer: '/caps/2/days', code: 'out-of-range', detail: 'has to be at most 90' }];
  const { api, user } = await openConsole('/caps', {
    answers: { 'PUT /v1/caps': () => problem(422, 'invalid-request', 'wrong', wrong) },
  });
  await screen.findByRole('row', { name: /weekly-messages/ });
  await user.click(screen.getByRole('button', { name: 'New cap New' }));
  const dialog = await screen.findByRole('dialog', { name: 'New cap' });
  const add = within(dialog).getByRole('button', { name: 'Add cap' });
  expect(add.getAttribute('aria-disabled') ?? add.getAttribute('disabled')).not.toBeNull();
  await user.type(within(dialog).getByLabelText(/^Name/), 'monthly');
  await user.click(await within(dialog).findByRole('checkbox', { name: 'Give points' }));
  await user.type(within(dialog).getByLabelText('Countries'), 'vn');
  await user.clear(within(dialog).getByLabelText(/^Within days/));
  await user.type(within(dialog).getByLabelText(/^Within days/), '99');
  await user.click(within(dialog).getByRole('radio', { name: /Calendar days/ }));
  expect(within(dialog).getByText(/what users got before does not count\./)).toBeDefined();
  await user.click(add);
  expect(await within(dialog).findByText('Has to be at most 90')).toBeDefined();
  const [request] = api.requestsTo('PUT /v1/caps');
  expect(request?.headers.get('if-match')).toBe('"4"');
  const cap = { name: 'monthly', actionTypes: ['award-points'], countries: ['VN'], effects: 3, days: 99 };
  expect(request?.body).toEqual({ caps: [writtenOf(weekly), writtenOf(rewards), { ...cap, counting: 'calendar' }] });
});

test('a changed cap replaces the former one, with a further exempt campaign', async () => {
  const { api, user } = await openConsole('/caps', { answers: { 'PUT /v1/caps': caps } });
  await user.click(await screen.findByRole('button', { name: 'Change weekly-messages' }));
  const dialog = await screen.findByRole('dialog', { name: 'Change the cap' });
  await user.clear(within(dialog).getByLabelText(/^At most/));
  await user.type(within(dialog).getByLabelText(/^At most/), '5');
  await user.click(within(dialog).getByRole('button', { name: 'Exempt one…' }));
  await user.click((await within(dialog).findAllByRole('option'))[0] ?? dialog);
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.requestsTo('PUT /v1/caps')).toHaveLength(1));
  expect(api.requestsTo('PUT /v1/caps')[0]?.body).toEqual({
    caps: [{ ...writtenOf(weekly), effects: 5, exempt: [expect.stringMatching(/^cmp_/)] }, writtenOf(rewards)],
  });
});

test('a form says whether earlier effects still count', () => {
  const keeps = 'What it has counted so far still counts.';
  expect(describeChange({ ...writtenOf(weekly), effects: 9 }, caps.caps)).toBe(keeps);
  expect(describeChange({ ...writtenOf(rewards), actionTypes: ['award-points'] }, caps.caps)).toBe(keeps);
  const more = { ...writtenOf(weekly), actionTypes: ['send-message', 'award-points'] };
  expect(describeChange(more, caps.caps)).toMatch(/^With “.* points” it counts from now on/);
  expect(describeChange({ ...writtenOf(weekly), name: 'other' }, caps.caps)).toMatch(/^It counts from now on/);
});

test('a cap is removed after a confirmation that says what changes', async () => {
  const { api, user } = await openConsole('/caps', { answers: { 'PUT /v1/caps': caps } });
  await user.click(await screen.findByRole('button', { name: 'Remove weekly-messages' }));
  const dialog = await screen.findByRole('dialog', { name: 'Remove the cap weekly-messages?' });
  expect(dialog.textContent).toMatch(/at most 3 times within 7 days.*without this limit from the next batch on/);
  await user.click(within(dialog).getByRole('button', { name: 'Remove it' }));
  await waitFor(() => expect(api.requestsTo('PUT /v1/caps').at(-1)?.body).toEqual({ caps: [writtenOf(rewards)] }));
});

test('a manager cannot change caps', async () => {
  await openConsole('/caps', { role: 'manager' });
  const change = await screen.findByRole('button', { name: 'Change weekly-messages' });
  expect(change.getAttribute('aria-disabled')).toBe('true');
});

test('an empty list explains caps', async () => {
  await openConsole('/caps', { answers: { 'GET /v1/caps': { revision: 0, caps: [], madeAt: null } } });
  expect(await screen.findByText(/Users get whatever campaigns send\./)).toBeDefined();
});

test('caps that cannot be read are reported with the reason', async () => {
  await openConsole('/caps', { answers: { 'GET /v1/caps': () => problem(500, 'internal-error', 'the disk is full') } });
  expect(await screen.findByText('The caps could not be read')).toBeDefined();
});
