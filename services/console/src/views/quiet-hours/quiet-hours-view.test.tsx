// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { quietHours } from '../../../testing/installation/engine.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { moveItem, describeRule } from './rule-form.ts';

const [first, second] = quietHours.rules;

test('each rule shows its users, its hours and its effect', async () => {
  await openConsole('/quiet-hours');
  const row = await screen.findByRole('row', { name: /Send a message/ });
  expect(row.textContent).toMatch(
    /SG, ID.*21:00 to 08:00 of the next day.*local time of the country.*wait for the end/,
  );
  expect(screen.getByRole('row', { name: /every action type/ }).textContent).toMatch(/Asia\/Jakarta.*dropped/);
  if (!first) throw new Error('there is no rule');
  expect(describeRule(first)).toBe(
    '“Send a message” makes no calls in SG, ID from 21:00 to 08:00 of the next day, local time; users wait for the end.',
  );
});

test('a new rule is appended on the loaded revision, and its problems are shown at their fields', async () => {
  const wrong = [{ pointer: '/rules/2/zone', code: 'invalid-value', detail: 'has to be an IANA time zone' }];
  const { api, user } = await openConsole('/quiet-hours', {
    answers: { 'PUT /v1/quiet-hours': () => problem(422, 'invalid-request', 'wrong', wrong) },
  });
  await screen.findByRole('row', { name: /Send a message/ });
  await user.click(screen.getByRole('button', { name: 'New quiet hours New' }));
  const dialog = await screen.findByRole('dialog', { name: 'New quiet hours' });
  await user.selectOptions(within(dialog).getByLabelText('Action type'), 'award-points');
  await user.type(within(dialog).getByLabelText('Countries'), 'sg vn');
  await user.type(within(dialog).getByLabelText('Time zone'), 'Mars');
  await user.click(within(dialog).getByRole('radio', { name: /dropped/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Add rule' }));
  expect(await within(dialog).findByText('Has to be an IANA time zone')).toBeDefined();
  const [request] = api.requestsTo('PUT /v1/quiet-hours');
  expect(request?.headers.get('if-match')).toBe('"3"');
  const rule = { actionType: 'award-points', countries: ['SG', 'VN'], from: '21:00', until: '08:00', zone: 'Mars' };
  expect(request?.body).toEqual({ rules: [first, second, { ...rule, then: 'drop' }] });
});

test('rules are moved, and removed after a confirmation', async () => {
  const { api, user } = await openConsole('/quiet-hours', { answers: { 'PUT /v1/quiet-hours': quietHours } });
  await user.click(await screen.findByRole('button', { name: 'Move rule 2 up' }));
  await waitFor(() => expect(api.requestsTo('PUT /v1/quiet-hours').at(-1)?.body).toEqual({ rules: [second, first] }));
  await user.click(screen.getByRole('button', { name: 'Remove rule 1' }));
  await user.click(await screen.findByRole('button', { name: 'Remove them' }));
  await waitFor(() => expect(api.requestsTo('PUT /v1/quiet-hours').at(-1)?.body).toEqual({ rules: [second] }));
  expect(moveItem(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
});

test('the filter is part of the address and shows the rules of an action type', async () => {
  const { user, address } = await openConsole('/quiet-hours?action=award-points');
  expect(await screen.findByRole('row', { name: /every action type/ })).toBeDefined();
  expect(screen.queryByRole('row', { name: /Send a message/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Clear Action type Give points' }));
  await waitFor(() => expect(address()).toBe('/quiet-hours'));
});

test('a manager cannot change rules', async () => {
  await openConsole('/quiet-hours', { role: 'manager' });
  const change = await screen.findByRole('button', { name: 'Change rule 1' });
  expect(change.getAttribute('aria-disabled')).toBe('true');
});

test('an empty list explains quiet hours', async () => {
  await openConsole('/quiet-hours', {
    answers: { 'GET /v1/quiet-hours': { revision: 0, rules: [], madeAt: null } },
  });
  expect(await screen.findByText(/Users can be called at any hour\./)).toBeDefined();
});
