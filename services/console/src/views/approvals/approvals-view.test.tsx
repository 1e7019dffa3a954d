// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { sentBackApproval, waitingApproval } from '../../testing/approvals.ts';
import { problem, type Asked } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';

const lists = {
  'GET /v1/approvals': ({ query }: Asked) => ({
    items: query['state'] === 'waiting' ? [waitingApproval] : [waitingApproval, sentBackApproval],
    next: null,
  }),
  'GET /v1/approvals/apr_waiting': waitingApproval,
};
const path = 'POST /v1/campaigns/cmp_gift';

test('the first that waits is shown: what exactly is approved, what changed, and who said yes', async () => {
  await openConsole('/approvals', { role: 'approver', answers: lists });
  await screen.findByRole('heading', { name: 'Year-end points gift' });
  expect(screen.getByText('Needs 2, has 1')).toBeDefined();
  const covered = screen.getByRole('region', { name: 'What you approve' });
  expect(within(covered).getByText('1,500,000')).toBeDefined();
  expect(within(covered).getByText('SG 600,000 · ID 900,000')).toBeDefined();
  expect(within(covered).getByText('3,000,000')).toBeDefined();
  const changed = screen.getByRole('region', { name: 'Changed since revision 2' });
  expect(within(changed).getByRole('row', { name: 'Countries SG SG, ID' })).toBeDefined();
  expect(screen.getByText(/ID agreed with finance/)).toBeDefined();
  expect(screen.getByText('sent back: “no hold-out?”')).toBeDefined();
});

test('it is approved after the numbers were said once more, by the hash that was seen', async () => {
  const approved = { ...waitingApproval, state: 'approved' };
  const { api, user } = await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, [`${path}/approve`]: approved },
  });
  await user.type(await screen.findByLabelText(/A word to mei/), 'fine');
  await user.click(screen.getByRole('button', { name: 'Approve…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve “Year-end points gift”?' });
  expect(
    within(dialog).getByText(
      'With yours it has 2 of 2, and its author may start it. It can be sent back after that, too.',
    ),
  ).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Approve it' }));
  await waitFor(() =>
    expect(api.askedFor(`${path}/approve`)).toMatchObject([{ body: { hash: waitingApproval.hash, word: 'fine' } }]),
  );
});

test('it is sent back only with a word', async () => {
  const { api, user } = await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, [`${path}/send-back`]: sentBackApproval },
  });
  const button = await screen.findByRole('button', { name: 'Send back' });
  await user.click(button);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await user.type(screen.getByLabelText(/A word to mei/), 'no hold-out?');
  await user.click(button);
  await waitFor(() =>
    expect(api.askedFor(`${path}/send-back`)).toMatchObject([
      { body: { hash: waitingApproval.hash, word: 'no hold-out?' } },
    ]),
  );
});

test('its author sees that another approves', async () => {
  const own = { ...waitingApproval, refusedToYou: 'mei has written or submitted it: another person approves' };
  await openConsole('/approvals', { role: 'approver', answers: { ...lists, 'GET /v1/approvals/apr_waiting': own } });
  expect(await screen.findByText('Mei has written or submitted it: another person approves.')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Approve…' }).getAttribute('aria-disabled')).toBe('true');
});

test('why it could not be approved is said', async () => {
  const changed = problem(409, 'revision-changed', 'cmp_gift has changed: look at it, and decide anew');
  const { user } = await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, [`${path}/approve`]: changed },
  });
  await user.click(await screen.findByRole('button', { name: 'Approve…' }));
  await user.click(await screen.findByRole('button', { name: 'Approve it' }));
  expect((await screen.findByRole('alert')).textContent).toBe('Cmp_gift has changed: look at it, and decide anew.');
});

test('where nothing waits, what comes here is said', async () => {
  await openConsole('/approvals', { role: 'approver' });
  expect(await screen.findByText('Nothing waits for an approval')).toBeDefined();
});
