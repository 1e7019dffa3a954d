// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, test } from 'vitest';
import { sentBackApproval, waitingApproval } from '../../../testing/campaigns/approvals.ts';
import { report } from '../../../testing/runs/ended-report.ts';
import { problem, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const lists = {
  'GET /v1/approvals': ({ query }: FakeRequest) => ({
    items: query['state'] === 'waiting' ? [waitingApproval] : [waitingApproval, sentBackApproval],
    next: null,
  }),
  'GET /v1/approvals/apr_waiting': waitingApproval,
};
const path = 'POST /v1/campaigns/cmp_gift';

test('the first waiting approval is shown with its content, its changes and the approvals so far', async () => {
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

test('an approval of a campaign with variants shows their shares and limits', async () => {
  const [step] = waitingApproval.covers.chain;
  const variants = [
    { name: 'A', weight: 7500, params: {} },
    { name: 'B', weight: 2500, params: { points: 60 } },
  ];
  const covers = { ...waitingApproval.covers, chain: [{ ...(step ?? expect.fail()), variants }] };
  const differences = [{ pointer: '/chain/0/variants/1/params/points', before: 50, after: 60 }];
  const limits = [
    { name: 'A', weight: 7500, usersAtMost: 1_125_000 },
    { name: 'B', weight: 2500, usersAtMost: 375_000 },
  ];
  const approval = { ...waitingApproval, covers, variants: limits, diff: { from: 2, to: 4, differences } };
  await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, 'GET /v1/approvals/apr_waiting': approval },
  });
  const covered = await screen.findByRole('region', { name: 'What you approve' });
  expect(within(covered).getByText('A, 75 %, at most 1,125,000 · B, 25 %, at most 375,000')).toBeDefined();
  expect(await screen.findByRole('row', { name: 'Step 1, variant 2, Points 50 60' })).toBeDefined();
});

describe('the cost of an approval', () => {
  it.each([
    [null, 'unknown', 'Give points has no price'],
    [{ amount: '4500', currency: 'SGD' }, /4,500.*SGD|SGD.*4,500/, 'per run, at the prices at submission'],
  ])('is shown, also without a price: %o', async (costAtMost, value, note) => {
    const answers = { ...lists, 'GET /v1/approvals/apr_waiting': { ...waitingApproval, costAtMost } };
    await openConsole('/approvals', { role: 'approver', answers });
    const covered = await screen.findByRole('region', { name: 'What you approve' });
    expect(within(covered).getByText('Cost, at most')).toBeDefined();
    expect(within(covered).getByText(value)).toBeDefined();
    expect(within(covered).getByText(note)).toBeDefined();
  });
});

describe('the panel above the decision', () => {
  const variants = [
    { name: 'A', weight: 5000, users: 5012, heldOut: 0, steps: [] },
    { name: 'B', weight: 5000, users: 4988, heldOut: 0, steps: [] },
  ];
  const ended = { ...report, state: 'completed' as const, revision: 4 };
  const dryRun = { ...ended, runId: 'run_dry', kind: 'dry-run' as const, variants };
  const testSend = { ...report, runId: 'run_test', kind: 'test' as const, state: 'completed' as const, revision: 3 };
  const listed = ({ query }: FakeRequest) => {
    const runId = query['kind'] === 'test' ? 'run_test' : 'run_dry';
    return { items: [{ runId, revision: 4 }], next: null };
  };
  const tried = { 'GET /v1/runs': listed, 'GET /v1/runs/run_dry/report': dryRun };

  it('shows the newest dry run and the newest test send, with their revisions', async () => {
    const answers = { ...lists, ...tried, 'GET /v1/runs/run_test/report': testSend };
    await openConsole('/approvals', { role: 'approver', answers });
    const dry = await screen.findByRole('region', { name: 'Dry run' });
    expect(await within(dry).findByText(/would complete the chain/)).toBeDefined();
    expect(within(dry).queryByText(/not the current one/)).toBeNull();
    expect(within(dry).getByText('Variants, counted: A 5,012 · B 4,988')).toBeDefined();
    const sent = screen.getByRole('region', { name: 'Test send' });
    expect(await within(sent).findByText(/of revision 3, not the current one/)).toBeDefined();
    const decision = screen.getByRole('region', { name: 'Your decision' });
    expect(sent.compareDocumentPosition(decision) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it('states that there is no dry run and no test send', async () => {
    await openConsole('/approvals', { role: 'approver', answers: lists });
    expect(await screen.findByText('None: no dry run has covered all users yet.')).toBeDefined();
    expect(screen.getByText('None: no user has received a test.')).toBeDefined();
  });

  it('states that everything is new if no revision was approved before', async () => {
    const first = { ...waitingApproval, diff: null };
    await openConsole('/approvals', {
      role: 'approver',
      answers: { ...lists, 'GET /v1/approvals/apr_waiting': first },
    });
    expect(await screen.findByText(/No revision of this campaign has been approved yet/)).toBeDefined();
  });
});

describe('the parameters of a step', () => {
  it('have the labels of the form and the names of the options', async () => {
    const chain = [{ action: 'award-reward', params: { rewardId: 'ride-5', units: 2 } }];
    const differences = [{ pointer: '/chain/0/params/rewardId', before: 'ride-3', after: 'ride-5' }];
    const diff = { from: 2, to: 4, differences };
    const approval = { ...waitingApproval, diff, covers: { ...waitingApproval.covers, chain } };
    const answers = { ...lists, 'GET /v1/approvals/apr_waiting': approval };
    await openConsole('/approvals', { role: 'approver', answers });
    const definition = await screen.findByRole('region', { name: 'Definition' });
    expect(await within(definition).findByText('Ride, 5 off')).toBeDefined();
    expect(within(definition).getByText(/^Reward id:/)).toBeDefined();
    expect(within(definition).getByText(/^Units:/)).toBeDefined();
    expect(screen.getByRole('row', { name: 'Step 1, Reward id ride-3 ride-5' })).toBeDefined();
  });
});

test('a start at a local time is shown with the hour of each country', async () => {
  const schedule = { type: 'local' as const, time: '2026-12-01T09:00:00' };
  const local = { ...waitingApproval, covers: { ...waitingApproval.covers, schedule } };
  const answers = {
    ...lists,
    'GET /v1/approvals': ({ query }: FakeRequest) => ({
      items: query['state'] === 'waiting' ? [local] : [],
      next: null,
    }),
    'GET /v1/approvals/apr_waiting': local,
  };
  await openConsole('/approvals', { role: 'approver', answers });
  await screen.findByRole('heading', { name: 'Year-end points gift' });
  expect(screen.getAllByText(/^Tue 1 Dec(?: 2026)?, 09:00 in each country$/)).toHaveLength(2);
  expect(screen.getByText(/at Tue 1 Dec(?: 2026)?, 09:00 local time/)).toBeDefined();
});

test('an approval needs a confirmation with the numbers, and sends the displayed hash', async () => {
  const approved = { ...waitingApproval, state: 'approved' };
  const { api, user } = await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, [`${path}/approve`]: approved },
  });
  await user.type(await screen.findByLabelText(/Comment for mei/), 'fine');
  await user.click(screen.getByRole('button', { name: 'Approve…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve “Year-end points gift”?' });
  expect(
    within(dialog).getByText(
      'With your approval it has 2 of 2, and its author may start it. You can still send it back afterwards.',
    ),
  ).toBeDefined();
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await waitFor(() =>
    expect(api.requestsTo(`${path}/approve`)).toMatchObject([
      { body: { hash: waitingApproval.hash, comment: 'fine' } },
    ]),
  );
});

test('an approval is sent back only with a comment', async () => {
  const { api, user } = await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, [`${path}/send-back`]: sentBackApproval },
  });
  const button = await screen.findByRole('button', { name: 'Send back' });
  await user.click(button);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await user.type(screen.getByLabelText(/Comment for mei/), 'no hold-out?');
  await user.click(button);
  await waitFor(() =>
    expect(api.requestsTo(`${path}/send-back`)).toMatchObject([
      { body: { hash: waitingApproval.hash, comment: 'no hold-out?' } },
    ]),
  );
});

test('the author sees that another person has to approve', async () => {
  const own = { ...waitingApproval, refusedToYou: 'mei has written or submitted it: another person approves' };
  await openConsole('/approvals', { role: 'approver', answers: { ...lists, 'GET /v1/approvals/apr_waiting': own } });
  expect(await screen.findByText('Mei has written or submitted it: another person approves.')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Approve…' }).getAttribute('aria-disabled')).toBe('true');
});

test('a failed approval shows the reason', async () => {
  const changed = problem(409, 'revision-changed', 'cmp_gift has changed: look at it, and decide anew');
  const { user } = await openConsole('/approvals', {
    role: 'approver',
    answers: { ...lists, [`${path}/approve`]: changed },
  });
  await user.click(await screen.findByRole('button', { name: 'Approve…' }));
  await user.click(await screen.findByRole('button', { name: 'Approve' }));
  expect((await screen.findByRole('alert')).textContent).toBe('Cmp_gift has changed: look at it, and decide anew.');
});

test('an empty list explains which approvals appear here', async () => {
  await openConsole('/approvals', { role: 'approver' });
  expect(await screen.findByText('Nothing waits for an approval')).toBeDefined();
});
