// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { draft } from '../../../testing/campaigns/campaigns.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { templates } from '../../../testing/campaigns/templates.ts';

const empty = { items: [], next: null };

test('the list shows the variables of each template, required ones first', async () => {
  await openConsole('/templates');
  const row = await screen.findByRole('row', { name: /Payday/ });
  expect(row.textContent).toContain('revision 3');
  expect(row.textContent).toContain('segment, reward, units = 2');
});

test('a campaign is created from a template with a field for each variable', async () => {
  const { api, user, address } = await openConsole('/templates', {
    answers: { 'POST /v1/templates/:id/campaigns': () => Response.json(draft, { status: 201 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'New campaign from Payday' }));
  const dialog = await screen.findByRole('dialog', { name: 'New campaign from “Payday”' });
  await user.type(within(dialog).getByLabelText(/^Name of the campaign/), 'March');
  await user.type(within(dialog).getByLabelText(/^segment/i), 'riders');
  await user.selectOptions(within(dialog).getByLabelText(/^reward/i), 'ride-9');
  await user.click(within(dialog).getByRole('button', { name: 'Create draft' }));
  await waitFor(() => expect(address()).toBe('/campaigns/cmp_draft'));
  const [request] = api.requestsTo('POST /v1/templates/tpl_payday/campaigns');
  expect(request?.body).toEqual({
    name: 'March',
    variables: { segment: 'riders', units: 2, reward: 'ride-9' },
    revision: 3,
  });
});

test('problems of values are shown at their fields, and other problems below', async () => {
  const errors = [
    { pointer: '/variables/segment', code: 'unknown-segment', detail: '"x" is not known' },
    { pointer: '/chain/0/action', code: 'unknown-action', detail: '"award-reward" is not configured' },
  ];
  const { user } = await openConsole('/templates', {
    answers: {
      'POST /v1/templates/:id/campaigns': () => problem(422, 'invalid-request', 'the request has problems', errors),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'New campaign from Payday' }));
  await user.click(await screen.findByRole('button', { name: 'Create draft' }));
  expect(await screen.findByText('"x" is not known')).toBeDefined();
  expect((await screen.findByRole('alert')).textContent).toBe('"award-reward" is not configured');
});

test('a template is changed by fields on the loaded revision, with problems at their fields', async () => {
  const errors = [
    { pointer: '/variables/units/default', detail: 'has to be at most 5' },
    { pointer: '/campaign/chain', detail: 'is missing' },
  ];
  const { api, user } = await openConsole('/templates', {
    answers: { 'PATCH /v1/templates/:id': () => problem(422, 'invalid-request', 'x', errors) },
  });
  await user.click(await screen.findByRole('button', { name: 'Change Payday' }));
  const units = await screen.findByRole('group', { name: 'Variable units' });
  const defaultText = within(units).getByLabelText('Default value');
  await user.clear(defaultText);
  await user.type(defaultText, '9');
  await user.click(screen.getByRole('button', { name: 'Remove the variable reward' }));
  await user.click(screen.getByRole('button', { name: 'Variable' }));
  await user.type(within(screen.getByRole('group', { name: 'Variable' })).getByLabelText(/^Name/), 'day');
  await user.click(screen.getByRole('button', { name: 'Save as revision 4' }));
  expect(await within(units).findByText('Has to be at most 5')).toBeDefined();
  expect((await screen.findByRole('alert')).textContent).toBe('campaign/chain is missing');
  const [request] = api.requestsTo('PATCH /v1/templates/tpl_payday');
  expect(request?.headers.get('if-match')).toBe('"3"');
  expect(request?.body).toMatchObject({
    name: 'Payday',
    variables: {
      segment: { type: 'segment', description: 'Who gets it' },
      units: { type: 'integer', minimum: 1, maximum: 5, default: 9 },
      day: { type: 'string' },
    },
  });
});

test('a template is changed as JSON, and invalid JSON is reported', async () => {
  const { api, user } = await openConsole('/templates', {
    answers: {
      'PATCH /v1/templates/:id': () =>
        problem(422, 'invalid-request', 'x', [{ pointer: '/variables/x', detail: 'odd' }]),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Change Payday' }));
  await user.click(await screen.findByRole('button', { name: 'JSON' }));
  const text = await screen.findByRole('textbox', { name: /^Template/ });
  await user.clear(text);
  await user.type(text, '{{"name"');
  await user.click(screen.getByRole('button', { name: 'Save as revision 4' }));
  expect((await screen.findByRole('alert')).textContent).toMatch(/^Invalid JSON: /);
  await user.type(text, ':"Pay"}');
  await user.click(screen.getByRole('button', { name: 'Save as revision 4' }));
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('variables/x odd'));
  const [request] = api.requestsTo('PATCH /v1/templates/tpl_payday');
  expect([request?.body, request?.headers.get('if-match')]).toEqual([{ name: 'Pay' }, '"3"']);
});

test('revisions of a template show their changes, and a revision is restored after a confirmation', async () => {
  const listed = (revision: number) => ({ revision, name: 'Payday', createdAt: '2026-11-20T08:00:00.000Z' });
  const { api, user } = await openConsole('/templates', {
    answers: {
      'GET /v1/templates/:id/revisions': { items: [listed(3), listed(2), listed(1)], next: null },
      'GET /v1/templates/:id/revisions/:revision/diff': {
        from: 2,
        to: 3,
        differences: [{ pointer: '/variables/units/default', before: 1, after: 2 }],
      },
      'POST /v1/templates/:id/revisions/:revision/restore': templates.items[0] ?? {},
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Revisions of Payday' }));
  await user.click(await screen.findByRole('button', { name: 'Changes in revision 3' }));
  expect(await screen.findByRole('row', { name: 'Variable units, default 1 2' })).toBeDefined();
  expect(api.requestsTo('GET /v1/templates/tpl_payday/revisions/2/diff').at(-1)?.query).toEqual({ to: '3' });
  const changes = screen.getByRole('dialog', { name: 'Changes in revision 3' });
  await user.click(within(changes).getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('button', { name: 'Restore revision 3' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Restore revision 1' }));
  expect(await screen.findByText(/^It becomes revision 4\./)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo('POST /v1/templates/tpl_payday/revisions/1/restore')).toHaveLength(1);
});

test('a template is deleted after a confirmation', async () => {
  const { api, user } = await openConsole('/templates', {
    answers: { 'DELETE /v1/templates/:id': () => new Response(null, { status: 204 }) },
  });
  await user.click(await screen.findByRole('button', { name: 'Delete Payday' }));
  await user.click(await screen.findByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(api.requestsTo('DELETE /v1/templates/tpl_payday')).toHaveLength(1));
});

test('an empty list explains templates, and a search without a match can be cleared', async () => {
  const { user, address } = await openConsole('/templates?text=pay', { answers: { 'GET /v1/templates': empty } });
  expect(await screen.findByText('No template matches')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/templates'));
  expect(await screen.findByText('No templates yet')).toBeDefined();
});

test('a viewer sees templates and cannot create a campaign', async () => {
  await openConsole('/templates', { role: 'viewer' });
  const use = await screen.findByRole('button', { name: 'New campaign from Payday' });
  expect(use.getAttribute('aria-disabled')).toBe('true');
});
