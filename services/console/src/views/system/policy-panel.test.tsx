// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '#client/types.gen.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole, type Role } from '../../../testing/open-console.tsx';
import { system } from '../../../testing/installation/system.ts';

const policy: ApprovalPolicy = {
  revision: 4,
  rules: [
    { usersAbove: 100_000, unitsAbove: 10_000, approvers: 1 },
    { countries: ['ID'], amountAbove: '20000.00', approvers: 2 },
  ],
  approversSignIn: false,
  madeAt: '2026-11-20T08:00:00.000Z',
};
const currency = { name: 'MUSTER_CURRENCY', value: 'EUR', from: 'environment', secretLength: null };
const inEuro = { ...system, configuration: [...(system.configuration ?? []), currency] };

interface Opening {
  role?: Role;
  current?: ApprovalPolicy;
  answer?: object | (() => Response);
}

async function openPolicy({ role = 'operator', current = policy, answer = policy }: Opening = {}) {
  const answers = {
    'GET /v1/system': role === 'operator' ? inEuro : { ...system, configuration: null },
    'GET /v1/approval-policy': current,
    'PUT /v1/approval-policy': answer,
  };
  const opened = await openConsole('/system', { role, answers });
  const panel = await screen.findByRole('region', { name: 'Approvals' });
  const openDialog = async () => {
    const change = within(panel).getByRole('button', { name: 'Change…' });
    await waitFor(() => expect(change.hasAttribute('disabled')).toBe(false));
    await opened.user.click(change);
    return within(await screen.findByRole('dialog', { name: 'Change the approval policy' }));
  };
  const sentRequests = () => opened.api.requestsTo('PUT /v1/approval-policy');
  return { ...opened, panel, openDialog, sentRequests };
}

describe('the approval policy in Settings', () => {
  it('describes each rule in words, with the currency of the installation', async () => {
    const { panel } = await openPolicy();
    const rules = await within(panel).findAllByRole('listitem');
    expect(rules.map(({ textContent }) => textContent)).toEqual([
      'A campaign with more than 100,000 users or more than 10,000 units needs 1 approver.',
      'A campaign with costs of more than 20,000.00 EUR in ID needs 2 approvers.',
    ]);
    expect(panel.textContent).toMatch(/People who sign in approve, and API keys that have an owner\..*Revision 4/);
  });

  it('states that nothing needs approval if it has no rules', async () => {
    const { panel } = await openPolicy({ current: { revision: 0, rules: [], approversSignIn: false, madeAt: null } });
    expect(await within(panel).findByText('Nothing needs approval.')).toBeDefined();
    expect(panel.textContent).toContain('No policy was set yet');
  });

  it('shows a failed request', async () => {
    const broken = { 'GET /v1/approval-policy': () => problem(400, 'invalid-request', 'no') };
    await openConsole('/system', { answers: broken });
    expect(await screen.findByText('The approval policy could not be read')).toBeDefined();
  });

  it('can be changed only by operators and is visible to all roles', async () => {
    const { panel, user } = await openPolicy({ role: 'viewer' });
    expect(
      await within(panel).findByText('A campaign with costs of more than 20,000.00 in ID needs 2 approvers.'),
    ).toBeDefined();
    expect(panel.textContent).toContain('Amounts are in the currency of the installation.');
    const change = within(panel).getByRole('button', { name: 'Change…' });
    expect(change.getAttribute('aria-disabled')).toBe('true');
    await user.click(change);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('the dialog of the approval policy', () => {
  it('sends all rules with the loaded revision, a new rule last', async () => {
    const { user, openDialog, sentRequests } = await openPolicy();
    const dialog = await openDialog();
    await user.click(dialog.getByRole('button', { name: 'Rule' }));
    const rule = within(dialog.getByRole('group', { name: 'Rule 3' }));
    await user.type(rule.getByLabelText('Countries'), 'sg vn');
    await user.type(rule.getByLabelText('Users above'), '1,000');
    await user.type(rule.getByLabelText('Units above'), '500');
    await user.type(rule.getByLabelText(/^Amount above/), '5,000.50');
    await user.selectOptions(rule.getByLabelText('Approvers'), '3 approvers');
    const words =
      'A campaign with more than 1,000 users or more than 500 units or costs of more than 5,000.50 EUR in SG, VN needs 3 approvers.';
    expect(rule.getByText(words)).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Save the policy' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const [request] = sentRequests();
    expect(request?.headers.get('if-match')).toBe('"4"');
    const added = { countries: ['SG', 'VN'], usersAbove: 1000, unitsAbove: 500, amountAbove: '5000.50', approvers: 3 };
    expect(request?.body).toEqual({ rules: [...policy.rules, added], approversSignIn: false });
  });

  it('removes a rule, and states that nothing needs approval once there are none', async () => {
    const { user, openDialog, sentRequests } = await openPolicy();
    const dialog = await openDialog();
    await user.click(dialog.getByRole('button', { name: 'Remove rule 1' }));
    expect(dialog.getByRole('group', { name: 'Rule 1' }).textContent).toContain('more than 20,000.00 EUR in ID');
    await user.click(dialog.getByRole('button', { name: 'Remove rule 1' }));
    expect(dialog.getByText('No rules: nothing needs approval.')).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Save the policy' }));
    await waitFor(() => expect(sentRequests()[0]?.body).toEqual({ rules: [], approversSignIn: false }));
  });

  it('describes what a change does to campaigns that wait, before it is saved', async () => {
    const { user, openDialog, sentRequests } = await openPolicy();
    const dialog = await openDialog();
    const sentence = /^The new rules apply to each start\. A waiting approval needs as many approvers/;
    expect(dialog.queryByText(sentence)).toBeNull();
    await user.click(dialog.getByRole('checkbox', { name: /^Only people who sign in/ }));
    expect(dialog.getByText(sentence).textContent).toContain('Votes of API keys no longer count');
    expect(dialog.getByText(/no identity provider, so no user could approve/)).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Save the policy' }));
    await waitFor(() => expect(sentRequests()[0]?.body).toEqual({ rules: policy.rules, approversSignIn: true }));
  });

  it('shows a refusal at its field until the order of the rules changes', async () => {
    const detail = 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG';
    const wrong = [{ pointer: '/rules/1/countries/0', code: 'invalid-value', detail }];
    const { user, openDialog } = await openPolicy({ answer: () => problem(422, 'invalid-request', 'wrong', wrong) });
    const dialog = await openDialog();
    const second = within(dialog.getByRole('group', { name: 'Rule 2' }));
    await user.type(second.getByLabelText('Countries'), 'nesia');
    await user.click(dialog.getByRole('button', { name: 'Save the policy' }));
    expect(await second.findByText(/^Has to be an ISO 3166-1/)).toBeDefined();
    expect(second.getByLabelText('Countries').getAttribute('aria-invalid')).toBe('true');
    expect(dialog.getAllByText(/ISO 3166-1/)).toHaveLength(1);
    await user.click(dialog.getByRole('button', { name: 'Rule' }));
    await user.click(dialog.getByRole('button', { name: 'Remove rule 1' }));
    await waitFor(() => expect(dialog.queryByText(/ISO 3166-1/)).toBeNull());
  });

  it('keeps the input if the policy has changed in the meantime', async () => {
    const { user, openDialog } = await openPolicy({
      answer: () => problem(412, 'revision-changed', 'the policy has revision 5 by now'),
    });
    const dialog = await openDialog();
    await user.click(dialog.getByRole('button', { name: 'Rule' }));
    await user.click(dialog.getByRole('button', { name: 'Save the policy' }));
    expect((await dialog.findByRole('alert')).textContent).toBe('the policy has revision 5 by now');
    expect(dialog.getByRole('group', { name: 'Rule 3' })).toBeDefined();
  });

  it('cannot be saved without a change, or with a limit that is not a number', async () => {
    const { user, openDialog, sentRequests } = await openPolicy();
    const dialog = await openDialog();
    const save = dialog.getByRole('button', { name: 'Save the policy' });
    expect(save.getAttribute('aria-disabled')).toBe('true');
    const first = within(dialog.getByRole('group', { name: 'Rule 1' }));
    await user.type(first.getByLabelText('Users above'), ' many');
    expect(save.getAttribute('aria-disabled')).toBe('true');
    await user.click(save);
    expect(sentRequests()).toEqual([]);
    await user.clear(first.getByLabelText('Users above'));
    expect(save.getAttribute('aria-disabled')).toBeNull();
  });
});
