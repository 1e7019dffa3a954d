// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { quietHours } from '../../testing/engine.ts';
import { problem } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { moved, ruleWords } from './rule-form.ts';

const [first, second] = quietHours.rules;

test('each rule says whom it keeps from being called, when, and what becomes of them', async () => {
  await openConsole('/quiet-hours');
  const row = await screen.findByRole('row', { name: /Send a message/ });
  expect(row.textContent).toMatch(/SG, ID.*21:00 to 08:00 of the next day.*clocks of the country.*wait for the end/);
  expect(screen.getByRole('row', { name: /every action type/ }).textContent).toMatch(/Asia\/Jakarta.*dropped/);
  if (!first) throw new Error('there is no rule');
  expect(ruleWords(first)).toBe(
    '“Send a message” calls nobody in SG, ID from 21:00 to 08:00 of the next day, by the clocks there; users wait for the end.',
  );
});

test('a new rule comes last, on the revision that was read, and what is wrong with it stands at its field', async () => {
  const wrong = [{ pointer: '/rules/2/zone', code: 'invalid-value', detail: 'has to be an IANA time zone' }];
  const { api, user } = await openConsole('/quiet-hours', {
    answers: { 'PUT /v1/quiet-hours': () => problem(422, 'invalid-request', 'wrong', wrong) },
  });
  await screen.findByRole('row', { name: /Send a message/ });
  await user.click(screen.getByRole('button', { name: 'New quiet hours New' }));
  const dialog = await screen.findByRole('dialog', { name: 'New quiet hours' });
  await user.selectOptions(within(dialog).getByLabelText('Action type'), 'award-points');
  await user.type(within(dialog).getByLabelText('Countries'), 'sg vn');
  await user.type(within(dialog).getByLabelText('Clocks of'), 'Mars');
  await user.click(within(dialog).getByRole('radio', { name: /dropped/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Add them' }));
  expect(await within(dialog).findByText('Has to be an IANA time zone')).toBeDefined();
  const [asked] = api.askedFor('PUT /v1/quiet-hours');
  expect(asked?.headers.get('if-match')).toBe('"3"');
  const rule = { actionType: 'award-points', countries: ['SG', 'VN'], from: '21:00', until: '08:00', zone: 'Mars' };
  expect(asked?.body).toEqual({ rules: [first, second, { ...rule, then: 'drop' }] });
});

test('rules change places, and are removed when that is meant', async () => {
  const { api, user } = await openConsole('/quiet-hours', { answers: { 'PUT /v1/quiet-hours': quietHours } });
  await user.click(await screen.findByRole('button', { name: 'Look at rule 2 earlier' }));
  await waitFor(() => expect(api.askedFor('PUT /v1/quiet-hours').at(-1)?.body).toEqual({ rules: [second, first] }));
  await user.click(screen.getByRole('button', { name: 'Remove rule 1' }));
  await user.click(await screen.findByRole('button', { name: 'Remove them' }));
  await waitFor(() => expect(api.askedFor('PUT /v1/quiet-hours').at(-1)?.body).toEqual({ rules: [second] }));
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
});

test('the filter stands in the address, and shows what holds for a type', async () => {
  const { user, address } = await openConsole('/quiet-hours?action=award-points');
  expect(await screen.findByRole('row', { name: /every action type/ })).toBeDefined();
  expect(screen.queryByRole('row', { name: /Send a message/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Take off Action type Give points' }));
  await waitFor(() => expect(address()).toBe('/quiet-hours'));
});

test('nobody but operators changes them', async () => {
  await openConsole('/quiet-hours', { role: 'manager' });
  const change = await screen.findByRole('button', { name: 'Change rule 1' });
  expect(change.getAttribute('aria-disabled')).toBe('true');
});

test('without rules that is said, and what cannot be read says why', async () => {
  await openConsole('/quiet-hours', {
    answers: { 'GET /v1/quiet-hours': { revision: 0, rules: [], madeAt: null } },
  });
  expect(await screen.findByText(/Users can be called at any hour\./)).toBeDefined();
});
