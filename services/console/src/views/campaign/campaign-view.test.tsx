// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { audiencesBy, partners, rejects, testers } from '../../../testing/audiences/audiences.ts';
import { draft, preview, runningCampaign } from '../../../testing/campaigns/campaigns.ts';
import { waitingApproval } from '../../../testing/campaigns/approvals.ts';
import { report as testReport } from '../../../testing/runs/ended-report.ts';
import { problem, type Answer, type Answers, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { actionTypes } from '../../../testing/installation/installation.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const noRuns = { 'GET /v1/runs': { items: [], next: null } };

test('a campaign shows its definition and links to its run', async () => {
  await openConsole('/campaigns/cmp_live');
  await screen.findByRole('heading', { name: 'Payday, slowly' });
  expect(screen.getByRole('link', { name: 'Watch' }).getAttribute('href')).toBe('/runs/run_live');
  expect(screen.getAllByText(/lapsed-riders/).length).toBeGreaterThan(0);
});

test('a campaign shows the variants of a step with shared and own parameters', async () => {
  const variants = [
    { name: 'Short', weight: 9000, params: { rewardId: 'ride-5' } },
    { name: 'Long', weight: 1000, params: {} },
  ];
  const chain = [{ action: 'award-reward', params: { units: 2 }, variants }];
  await openConsole('/campaigns/cmp_live', {
    answers: { 'GET /v1/campaigns/:id': { ...runningCampaign, chain, splitSeed: 'spring' } },
  });
  const list = await screen.findByRole('list', { name: 'Variants of step 1' });
  const [short, long] = within(list)
    .getAllByRole('listitem')
    .filter((item) => item.parentElement === list);
  await waitFor(() => expect(short?.textContent).toMatch(/^Short 90 % of the usersReward id: .*ride-5/));
  expect(long?.textContent).toBe('Long 10 % of the usersas above');
  expect(list.previousElementSibling?.textContent).toBe('Units: 2');
  expect(screen.getByText('split by the seed “spring”')).toBeDefined();
});

test('a campaign shows each rejected line of a list in its audience', async () => {
  const { user } = await openConsole('/campaigns/cmp_live', {
    answers: {
      'GET /v1/campaigns/:id': { ...runningCampaign, audience: { include: [{ list: 'aud_partners' }] } },
      'GET /v1/audiences/aud_partners': partners,
      'GET /v1/audiences/:id/rejects': rejects,
    },
  });
  await user.click(await screen.findByRole('button', { name: '224 rejected lines' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rejected lines' }));
  expect(await dialog.findByRole('row', { name: '88 No country u-48210031,' })).toBeDefined();
  expect(dialog.getAllByRole('row')).toHaveLength(4);
});

test('a run is listed with the number of users that it reached and that failed', async () => {
  await openConsole('/campaigns/cmp_live');
  const row = (await screen.findByRole('link', { name: 'Watch' })).closest('tr');
  await waitFor(() => expect(row?.textContent).toMatch(/60058020Watch$/));
});

test('a draft starts from a dialog, and the page then opens its run', async () => {
  const { api, user, address } = await openConsole('/campaigns/cmp_draft', {
    answers: { ...noRuns, 'POST /v1/campaigns/:id/start': { ...draft, state: 'running' } },
  });
  expect(await screen.findByText('It has not run yet')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Start…' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(await within(dialog).findByRole('button', { name: 'Start it' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/start')).toHaveLength(1));

  // The run is created shortly after the start.
  const links = { ...draft.links, latestRun: '/v1/runs/run_live' };
  api.answer({ 'GET /v1/campaigns/cmp_draft': { ...draft, state: 'running', links } });
  await waitFor(() => expect(address()).toBe('/runs/run_live'));
});

describe('the dialog that starts a draft', () => {
  const limited = {
    ...draft,
    canary: { percent: 1, then: 'pause' as const },
    audience: { ...draft.audience, holdOutPercent: 10 },
    pauseAtFailedPercent: 5,
    budgets: [{ country: 'SG', units: 5000 }],
  };
  const open = async (answers: Answers) => {
    const opened = await openConsole('/campaigns/cmp_draft', {
      answers: { ...noRuns, 'GET /v1/campaigns/cmp_draft': limited, ...answers },
    });
    await opened.user.click(await screen.findByRole('button', { name: 'Start…' }));
    return { ...opened, dialog: await screen.findByRole('dialog') };
  };
  const rules = (rule: object) => ({ 'GET /v1/approval-policy': { revision: 1, rules: [rule], madeAt: null } });

  it('names hold-out, canary, pace, deadline and limits, and what can be changed later', async () => {
    const { dialog } = await open({});
    await waitFor(() => expect(dialog.textContent).toContain('about 19,500'));
    for (const words of [
      /10 % of about 19,500 users get nothing/,
      /are called first\. Then the run pauses until a person resumes it/,
      /The pace is at most 20 users a second/,
      /after the start\. Users who are not called by then expire/,
      /pauses automatically if more users fail in a step. This applies from 1,000 users on/,
      /SG 5,000 units\. A country whose budget is used up pauses/,
      /Later you can change pace, deadline, priority, failure limit and budgets/,
    ])
      expect(within(dialog).getByText(words)).toBeDefined();
    expect(within(dialog).queryByLabelText('Canary, first')).toBeNull();
  });

  it('shows an exact count in place of the estimate', async () => {
    const users = { atLeast: 19_412, atMost: 19_412, countedAt: '2026-11-22T19:30:00.000Z' };
    const counted = { ...preview, users };
    const { dialog } = await open({
      'GET /v1/campaigns/cmp_draft': draft,
      'POST /v1/campaigns/preview': counted,
    });
    expect(await within(dialog).findByText('19,412')).toBeDefined();
    expect(within(dialog).getByText('users, counted')).toBeDefined();
  });

  it('starts with a canary that is typed there, and shows its effect', async () => {
    const { api, user, dialog } = await open({
      'GET /v1/campaigns/cmp_draft': draft,
      'POST /v1/campaigns/:id/start': { ...draft, state: 'running' },
    });
    const field = within(dialog).getByLabelText('Canary, first');
    await user.type(field, 'many');
    expect(await within(dialog).findByText(/has to be a number, not “many”/i)).toBeDefined();
    expect(within(dialog).getByRole('button', { name: 'Start it' })).toHaveProperty('disabled', true);
    await user.clear(field);
    await user.type(field, '5 %');
    expect(await within(dialog).findByText('canary, of each country')).toBeDefined();
    await user.click(within(dialog).getByRole('button', { name: 'Start it' }));
    const bodies = () => api.requestsTo('POST /v1/campaigns/cmp_draft/start').map(({ body }) => body);
    await waitFor(() => expect(bodies()).toEqual([{ canary: { percent: 5, then: 'pause' } }]));
  });

  it('starts with a canary after which a variant is chosen', async () => {
    const [first, ...others] = draft.chain;
    const variants = ['A', 'B'].map((name) => ({ name, weight: 5000, params: {} }));
    const { api, user, dialog } = await open({
      'GET /v1/campaigns/cmp_draft': { ...draft, chain: [{ ...first, variants }, ...others] },
      'POST /v1/campaigns/:id/start': { ...draft, state: 'running' },
    });
    await user.type(within(dialog).getByLabelText('Canary, first'), '5 %');
    const field = within(dialog).getByLabelText('When the canary users have ended');
    await user.selectOptions(field, 'pause, then choose one for all others');
    await user.click(within(dialog).getByRole('button', { name: 'Start it' }));
    const bodies = () => api.requestsTo('POST /v1/campaigns/cmp_draft/start').map(({ body }) => body);
    await waitFor(() => expect(bodies()).toEqual([{ canary: { percent: 5, then: 'choose-variant' } }]));
  });

  it('submits for approval instead of starting if the policy requires an approval', async () => {
    const submitted = { 'POST /v1/campaigns/:id/submit': waitingApproval };
    const { api, user, dialog } = await open({ ...rules({ usersAbove: 1000, approvers: 1 }), ...submitted });
    const button = await within(dialog).findByRole('button', { name: 'Submit for approval' });
    await waitFor(() => expect(within(dialog).queryByRole('button', { name: 'Start it' })).toBeNull());
    await user.click(button);
    await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/submit')).toHaveLength(1));
    expect(api.requestsTo('POST /v1/campaigns/cmp_draft/start')).toHaveLength(0);
  });

  it('offers to submit once a start was refused because it lacks an approval', async () => {
    const refuse = () => problem(409, 'approval-needed', 'cmp_draft needs 1 approver');
    const { user, dialog } = await open({ 'POST /v1/campaigns/:id/start': refuse });
    expect(within(dialog).queryByRole('button', { name: 'Submit for approval' })).toBeNull();
    await user.click(within(dialog).getByRole('button', { name: 'Start it' }));
    expect(await within(dialog).findByRole('button', { name: 'Submit for approval' })).toBeDefined();
    expect(within(dialog).getByRole('alert').textContent).toContain('needs 1 approver');
  });
});

test('a scheduled campaign can be unscheduled', async () => {
  const scheduled = {
    ...runningCampaign,
    state: 'scheduled',
    schedule: { type: 'at', at: '2026-12-01T09:00:00.000Z' },
    startsAt: '2026-12-01T09:00:00.000Z',
  };
  const { api, user } = await openConsole('/campaigns/cmp_live', {
    answers: { ...noRuns, 'GET /v1/campaigns/cmp_live': scheduled, 'POST /v1/campaigns/:id/unschedule': draft },
  });
  await user.click(await screen.findByRole('button', { name: 'Unschedule…' }));
  await user.click(await screen.findByRole('button', { name: 'Unschedule it' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_live/unschedule')).toHaveLength(1));
});

test('a recurring campaign shows its next starts, and its schedule can be paused', async () => {
  const recurring = {
    ...runningCampaign,
    state: 'scheduled',
    scheduleId: 'sch_1',
    schedule: { type: 'recurring', cron: '0 10 * * 5', zone: 'Asia/Ho_Chi_Minh' },
    nextRunAt: '2026-11-27T03:00:00.000Z',
  };
  const { api, user } = await openConsole('/campaigns/cmp_live', {
    answers: {
      ...noRuns,
      'GET /v1/campaigns/cmp_live': recurring,
      'GET /v1/schedules/sch_1': { id: 'sch_1', state: 'active' },
      'POST /v1/schedules/sch_1/pause': { id: 'sch_1', state: 'paused' },
    },
  });
  const pause = await screen.findByRole('button', { name: 'Pause the schedule' });
  expect(screen.queryByText('Schedule paused')).toBeNull();
  api.answer({ 'GET /v1/schedules/sch_1': { id: 'sch_1', state: 'paused' } });
  await user.click(pause);
  await waitFor(() => expect(api.requestsTo('POST /v1/schedules/sch_1/pause')).toHaveLength(1));
  expect(await screen.findByText('Schedule paused')).toBeDefined();
});

test('details of a campaign link to similar campaigns and can be edited during a run', async () => {
  const described = { ...runningCampaign, owner: 'growth', tags: ['payday'], description: 'Brings riders back' };
  const { api, user } = await openConsole('/campaigns/cmp_live', {
    answers: { ...noRuns, 'GET /v1/campaigns/cmp_live': described, 'PATCH /v1/campaigns/:id': described },
  });
  expect(await screen.findByText('Brings riders back')).toBeDefined();
  expect(screen.getByRole('link', { name: 'payday' }).getAttribute('href')).toBe('/campaigns?tag=payday');
  await user.click(screen.getByRole('button', { name: 'Edit details' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByLabelText('Tags'), ' december');
  await user.clear(within(dialog).getByLabelText('Owner'));
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.requestsTo('PATCH /v1/campaigns/cmp_live')).toHaveLength(1));
  expect(api.requestsTo('PATCH /v1/campaigns/cmp_live')[0]?.body).toEqual({
    owner: null,
    tags: ['payday', 'december'],
  });
});

describe('a draft that was changed', () => {
  const changed = { ...draft, revision: 3 };
  const createdAt = '2026-11-22T20:00:00.000Z';
  const items = [3, 2, 1].map((revision) => ({ revision, name: 'A draft', createdAt }));
  const differences = [
    { pointer: '/countries', before: ['SG'], after: ['SG', 'VN'] },
    { pointer: '/chain/0/params/units', before: 1, after: 2 },
    { pointer: '/paceUsersPerSecond', before: 20 },
  ];
  const answers = {
    ...noRuns,
    'GET /v1/campaigns/cmp_draft': changed,
    'GET /v1/campaigns/:id/revisions': { items, next: null },
    'GET /v1/campaigns/:id/revisions/:revision/diff': { from: 1, to: 2, differences },
    'POST /v1/campaigns/:id/revisions/:revision/restore': { ...changed, revision: 4, warnings: [] },
  };

  test('shows what each revision changed', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', { answers });
    await user.click(await screen.findByRole('button', { name: 'Changes in revision 3' }));
    const dialog = await screen.findByRole('dialog', { name: 'Changes in revision 3' });
    const rows = await within(dialog).findAllByRole('row');
    expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
      'CountriesSGSG, VN',
      'Step 1, Units12',
      'Pace20not set',
    ]);
    const [request] = api.requestsTo('GET /v1/campaigns/cmp_draft/revisions/2/diff');
    expect(request?.query).toEqual({ to: '3' });
  });

  test('is restored to an earlier revision after a dialog has shown the differences', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', { answers });
    const restore = await screen.findAllByRole('button', { name: /^Restore revision/ });
    expect(restore).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Restore revision 1' }));
    await user.click(await screen.findByRole('button', { name: 'Restore' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.requestsTo('GET /v1/campaigns/cmp_draft/revisions/3/diff')[0]?.query).toEqual({ to: '1' });
    expect(api.requestsTo('POST /v1/campaigns/cmp_draft/revisions/1/restore')).toHaveLength(1);
  });

  test('cannot be restored to a revision once it has started', async () => {
    const started = { ...changed, state: 'completed', links: { ...changed.links, latestRun: '/v1/runs/run_ended' } };
    await openConsole('/campaigns/cmp_draft', { answers: { ...answers, 'GET /v1/campaigns/cmp_draft': started } });
    expect(await screen.findAllByRole('button', { name: /^Changes in revision/ })).toHaveLength(2);
    expect(screen.queryByRole('button', { name: /^Restore revision/ })).toBeNull();
  });
});

test('a copy links to the campaign that it was copied from', async () => {
  const copy = { ...draft, origin: { campaignId: 'cmp_live', revision: 3 } };
  await openConsole('/campaigns/cmp_draft', { answers: { ...noRuns, 'GET /v1/campaigns/cmp_draft': copy } });
  const link = await screen.findByRole('link', { name: 'revision 3 of another campaign' });
  expect(link.getAttribute('href')).toBe('/campaigns/cmp_live');
});

test('a draft is archived after a confirmation', async () => {
  const { api, user } = await openConsole('/campaigns/cmp_draft', {
    answers: { ...noRuns, 'POST /v1/campaigns/:id/archive': draft },
  });
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Archive…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Archive “A draft”?' });
  await user.click(within(dialog).getByRole('button', { name: 'Archive it' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/archive')).toHaveLength(1));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('an archived campaign can only be unarchived, not started or edited', async () => {
  const archivedAt = '2026-11-23T08:00:00.000Z';
  const { api, user } = await openConsole('/campaigns/cmp_draft', {
    answers: {
      ...noRuns,
      'GET /v1/campaigns/cmp_draft': { ...draft, archivedAt },
      'POST /v1/campaigns/:id/unarchive': draft,
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Unarchive…' }));
  expect(screen.queryByRole('button', { name: 'Start…' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Edit' })).toBeNull();
  await user.click(await screen.findByRole('button', { name: 'Unarchive it' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/unarchive')).toHaveLength(1));
});

test('a refused deletion shows the reason, and a deletion leads to the list of campaigns', async () => {
  const why = 'cmp_draft cannot be deleted: it has run: archive it';
  const { api, user, address } = await openConsole('/campaigns/cmp_draft', {
    answers: { ...noRuns, 'DELETE /v1/campaigns/:id': () => problem(409, 'state-forbids', why) },
  });
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete the draft…' }));
  await user.click(await screen.findByRole('button', { name: 'Delete it' }));
  expect((await screen.findByRole('alert')).textContent).toBe(why);
  api.answer({ 'DELETE /v1/campaigns/:id': () => new Response(null, { status: 204 }) });
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  await waitFor(() => expect(address()).toBe('/campaigns'));
});

test('a campaign that does not exist shows an error', async () => {
  await openConsole('/campaigns/cmp_none', {
    answers: { 'GET /v1/campaigns/cmp_none': () => problem(404, 'not-found', 'there is no campaign') },
  });
  expect(await screen.findByText('The campaign could not be read')).toBeDefined();
});

describe('a campaign that needs approval', () => {
  const rules = { revision: 1, rules: [{ usersAbove: 1000, approvers: 1 }], madeAt: '2026-11-01T00:00:00.000Z' };
  const asks = { ...noRuns, 'GET /v1/approval-policy': rules };

  test('is submitted after a confirmation', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: { ...asks, 'POST /v1/campaigns/:id/submit': waitingApproval },
    });
    await user.click(await screen.findByRole('button', { name: 'Submit for approval…' }));
    await user.click(await screen.findByRole('button', { name: 'Submit it' }));
    await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/submit')).toHaveLength(1));
  });

  test('shows its missing approvals once submitted, and can still be edited and withdrawn', async () => {
    const inReview = { ...draft, state: 'in_review', approval: waitingApproval };
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...asks,
        'GET /v1/campaigns/cmp_draft': inReview,
        'POST /v1/campaigns/:id/withdraw': { ...waitingApproval, state: 'withdrawn' },
      },
    });
    expect(await screen.findByText('Needs 2, has 1')).toBeDefined();
    expect(screen.getByText('In review')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Edit' })).toBeDefined();
    expect(screen.getByRole('link', { name: 'Open the approval' }).getAttribute('href')).toBe(
      '/approvals?id=apr_waiting',
    );
    await user.click(screen.getByRole('button', { name: 'Withdraw…' }));
    await user.click(await screen.findByRole('button', { name: 'Withdraw it' }));
    await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/withdraw')).toHaveLength(1));
  });
});

test('an installation without approvals shows no approval panel', async () => {
  await openConsole('/campaigns/cmp_draft', { answers: noRuns });
  await screen.findByText('It has not run yet');
  expect(screen.queryByRole('heading', { name: 'Approval' })).toBeNull();
});

describe('a dry run', () => {
  const dry = { ...testReport, runId: 'run_dry', kind: 'dry-run', campaignId: 'cmp_draft', campaignName: 'A draft' };
  const dryAnswer = {
    run: dry,
    users: null,
    steps: [],
    isReal: false,
    summary: 'The whole audience is read, and no user is called.',
    warnings: [],
    links: { self: '/v1/runs/run_dry', report: '/v1/runs/run_dry/report' },
  };
  const reported = {
    ...dry,
    state: 'completed',
    audience: { estimated: 2000, counted: 1500, excluded: 12, shared: 0, complete: true },
    steps: testReport.steps.map((step) => ({ ...step, succeeded: 1400 })),
    failures: [
      { step: 1, country: 'SG', outcome: 'suppressed', reason: 'muster.suppression-list', users: 20, sample: [] },
      { step: 1, country: 'SG', outcome: 'suppressed', reason: 'muster.cap', users: 40, sample: [] },
      { step: 1, country: 'ID', outcome: 'suppressed', reason: 'muster.cap', users: 41, sample: [] },
    ],
    forecast: {
      batchUsers: 100,
      load: [],
      takesSeconds: { atLeast: 60, atMost: 60 },
      restsOn: 'It rests on its pace.',
    },
  };

  test('starts from its button and shows its result', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'POST /v1/campaigns/:id/trials': dryAnswer,
        'GET /v1/runs/run_dry/report': reported,
      },
    });
    const button = await screen.findByRole('button', { name: 'Start a dry run' });
    api.answer({
      'GET /v1/runs': ({ query }: FakeRequest) => ({ items: query['kind'] === 'dry-run' ? [dry] : [], next: null }),
    });
    await user.click(button);
    expect(await screen.findByText(/of 1,500 users would complete the chain; 12 are excluded/)).toBeDefined();
    expect(screen.getByText('Suppressed: 20 on a suppression list, 81 at a cap.')).toBeDefined();
    expect(screen.getByText('about 1 min')).toBeDefined();
    expect(api.requestsTo('POST /v1/campaigns/cmp_draft/trials').map(({ body }) => body)).toEqual([
      { kind: 'dry-run' },
    ]);
    expect(screen.getByRole('button', { name: 'Start another dry run' })).toBeDefined();
  });

  test('cannot be started while one is in progress', async () => {
    const running = { ...dry, state: 'running', endedAt: null };
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'GET /v1/runs': ({ query }: FakeRequest) => ({
          items: query['kind'] === 'dry-run' ? [running] : [],
          next: null,
        }),
        'GET /v1/runs/run_dry/report': { ...reported, state: 'running', endedAt: null },
      },
    });
    const button = await screen.findByRole('button', { name: 'Dry run in progress' });
    expect(button.hasAttribute('disabled')).toBe(true);
  });

  test('shows why it cannot be started', async () => {
    const detail = 'cmp_draft is archived: take it out before';
    const { user } = await openConsole('/campaigns/cmp_draft', {
      answers: { ...noRuns, 'POST /v1/campaigns/:id/trials': () => problem(409, 'state-forbids', detail) },
    });
    await user.click(await screen.findByRole('button', { name: 'Start a dry run' }));
    expect(await screen.findByText(detail)).toBeDefined();
  });
});

describe('a test', () => {
  const testRun = { ...testReport, runId: 'run_test', kind: 'test', campaignId: 'cmp_draft', campaignName: 'A draft' };
  const testAnswer = {
    run: testRun,
    users: 2,
    steps: [
      { step: 1, action: 'award-reward', mode: 'test' },
      { step: 2, action: 'send-message', mode: 'live' },
    ],
    isReal: true,
    summary: 'send-message: these 2 users really get it.',
    warnings: [],
    links: { self: '/v1/runs/run_test', report: '/v1/runs/run_test/report' },
  };
  const preview = { ...testAnswer, run: null, links: { self: null, report: null } };
  const reported = {
    ...testRun,
    audience: { estimated: 2, counted: 2, excluded: 0, complete: true },
    steps: testReport.steps.map((line, index) => ({
      ...line,
      mode: index === 0 ? 'test' : 'live',
      audience: 2,
      succeeded: 2 - index,
      failed: index,
      skipped: 0,
    })),
    failures: [
      {
        step: 2,
        country: 'SG',
        outcome: 'failed',
        reason: 'no-text-for-locale',
        users: 1,
        sample: ['u2'],
        retryable: false,
      },
    ],
  };

  test('can be sent once its preview is loaded, and its result is shown in the panel', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'POST /v1/campaigns/:id/trials': ({ body }: FakeRequest) =>
          z.object({ preview: z.boolean().optional() }).parse(body).preview === true ? preview : testAnswer,
        'GET /v1/runs/run_test/report': reported,
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Send a test…' }));
    const dialog = await screen.findByRole('dialog');
    const send = within(dialog).getByRole('button', { name: 'Send it' });
    expect(send).toHaveProperty('disabled', true);
    await user.type(within(dialog).getByLabelText(/Users/), 'u1{Enter} u2{Enter}');
    await within(dialog).findByText('“Send a message”: these 2 users really get it.');
    await waitFor(() => expect(send).toHaveProperty('disabled', false));
    api.answer({
      'GET /v1/runs': ({ query }: FakeRequest) => ({ items: query['kind'] === 'test' ? [testRun] : [], next: null }),
    });
    await user.click(send);
    await screen.findByText(
      'These 2 users really received “Send a message”. Calls of “Give a reward” were marked as a test.',
    );
    expect(screen.getByText('1 of 2 through the chain')).toBeDefined();
    expect(screen.getByText('1 failed in step 2: no-text-for-locale (u2)')).toBeDefined();
    const bodies = api.requestsTo('POST /v1/campaigns/cmp_draft/trials').map(({ body }) => body);
    expect(bodies.at(-1)).toEqual({ kind: 'test', users: ['u1', 'u2'], country: 'SG' });
    expect(bodies.at(-2)).toEqual({ kind: 'test', users: ['u1', 'u2'], country: 'SG', preview: true });
  });

  test('has a result for each variant of the campaign, in their order', async () => {
    const runs = ['Short', 'Long'].map((name) => ({ ...testRun, runId: `run_${name}`, startedAt: testRun.startedAt }));
    const earlier = { ...testRun, runId: 'run_earlier', startedAt: '2026-11-21T09:00:00.000Z' };
    const variantOf = (name: string) => ({ name, weight: 5000, users: 2, heldOut: 0, steps: [] });
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        'GET /v1/runs': ({ query }: FakeRequest) => ({
          items: query['kind'] === 'test' ? [...runs.toReversed(), earlier] : [],
          next: null,
        }),
        'GET /v1/runs/run_Short/report': { ...reported, runId: 'run_Short', variants: [variantOf('Short')] },
        'GET /v1/runs/run_Long/report': { ...reported, runId: 'run_Long', variants: [variantOf('Long')] },
      },
    });
    const result = await screen.findByRole('region', { name: 'Test send' });
    await waitFor(() => expect(within(result).getAllByText(/^Variant/)).toHaveLength(2));
    expect(
      within(result)
        .getAllByText(/^Variant/)
        .map(({ textContent }) => textContent),
    ).toEqual(['Variant Short', 'Variant Long']);
  });

  test('goes to a list of testers instead of typed users', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'GET /v1/audiences': audiencesBy({ list: [testers] }),
        'POST /v1/campaigns/:id/trials': preview,
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Send a test…' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.selectOptions(await dialog.findByLabelText('Send to'), 'Our testers (3 users in ID, SG)');
    expect(dialog.queryByLabelText(/Users/)).toBeNull();
    await dialog.findByText('“Send a message”: these 2 users really get it.');
    const send = dialog.getByRole('button', { name: 'Send it' });
    await waitFor(() => expect(send).toHaveProperty('disabled', false));
    await user.click(send);
    const bodies = () => api.requestsTo('POST /v1/campaigns/cmp_draft/trials').map(({ body }) => body);
    await waitFor(() => expect(bodies().at(-1)).toEqual({ kind: 'test', testers: 'aud_testers' }));
    expect(bodies().at(-2)).toEqual({ kind: 'test', testers: 'aud_testers', preview: true });
    expect(api.requestsTo('GET /v1/audiences').map(({ query }) => query)).toContainEqual({
      kind: 'list',
      usersAtMost: '200',
      limit: '200',
    });
  });

  test('reaches users again only if its sender requests it', async () => {
    const reached = 'an earlier live test of cmp_draft has reached "u1": name other users, or';
    const detail = `${reached} set "again" to true to reach them again`;
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'POST /v1/campaigns/:id/trials': ({ body }: FakeRequest) =>
          z.object({ again: z.boolean().optional() }).parse(body).again === true
            ? preview
            : problem(409, 'reached-by-test', detail),
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Send a test…' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByLabelText(/Users/), 'u1');
    expect(await within(dialog).findByText(`${reached} tick the box to reach them again`)).toBeDefined();
    await user.click(within(dialog).getByLabelText(/Also reach users/));
    await within(dialog).findByText('“Send a message”: these 2 users really get it.');
    const send = within(dialog).getByRole('button', { name: 'Send it' });
    await waitFor(() => expect(send).toHaveProperty('disabled', false));
    await user.click(send);
    const body = { kind: 'test', users: ['u1'], country: 'SG', again: true };
    await waitFor(() => expect(api.requestsTo('POST /v1/campaigns/cmp_draft/trials').at(-1)?.body).toEqual(body));
  });

  test('shows how many tests there were, and how many users the live ones were sent to', async () => {
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        'GET /v1/runs': ({ query }: FakeRequest) => ({ items: query['kind'] === 'test' ? [testRun] : [], next: null }),
        'GET /v1/runs/run_test/report': reported,
        'GET /v1/campaigns/cmp_draft/trials/counts': { dryRuns: 0, tests: 3, liveTests: 2, users: 27, steps: [] },
      },
    });
    expect(await screen.findByText('3 tests so far, 2 live, sent to 27 users')).toBeDefined();
  });

  test('shows its revision if it is an earlier one', async () => {
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        'GET /v1/runs': ({ query }: FakeRequest) => ({ items: query['kind'] === 'test' ? [testRun] : [], next: null }),
        'GET /v1/runs/run_test/report': reported,
        'GET /v1/campaigns/cmp_draft': { ...draft, revision: 2 },
      },
    });
    expect(await screen.findByText(/of revision \d+, not the current one/)).toBeDefined();
  });

  test('shows why it cannot be sent', async () => {
    const detail = 'cmp_draft needs 1 approver (more than 1 users): POST /v1/campaigns/cmp_draft/submit requests it';
    const { user } = await openConsole('/campaigns/cmp_draft', {
      answers: { ...noRuns, 'POST /v1/campaigns/:id/trials': () => problem(409, 'approval-needed', detail) },
    });
    await user.click(await screen.findByRole('button', { name: 'Send a test…' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByLabelText(/Users/), 'u1');
    const described = 'cmp_draft needs 1 approver (more than 1 users): “Submit for approval…” on its page requests it';
    expect(await within(dialog).findByText(described)).toBeDefined();
    expect(within(dialog).getByRole('button', { name: 'Send it' })).toHaveProperty('disabled', true);
  });
});

describe('the preview of a message', () => {
  const previewUrl = 'http://messages.test/v1/preview';
  const items = actionTypes.items.map((type) => (type.name === 'send-message' ? { ...type, previewUrl } : type));
  const message = { from: null, to: 'ada@example.com', subject: 'Hello Ada', html: null, text: 'Hello' };
  const open = async (answer: Answer, more: Record<string, Answer> = {}) => {
    const opened = await openConsole('/campaigns/cmp_live', {
      answers: {
        'GET /v1/campaigns/:id': {
          ...runningCampaign,
          chain: [
            { action: 'award-reward', params: { rewardId: 'ride-5' } },
            { action: 'send-message', params: { template: 'payday' } },
          ],
        },
        'GET /v1/action-types': { ...actionTypes, items },
        'POST /v1/action-types/send-message/preview': answer,
        ...more,
      },
    });
    const { user } = opened;
    // Only the endpoint of the second step offers a preview.
    await user.click(await screen.findByRole('button', { name: 'Preview…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Preview of “Send a message”' }));
    return { ...opened, dialog };
  };
  const openFor = async (answer: Answer) => {
    const opened = await open(answer);
    const { user, dialog } = opened;
    await user.type(dialog.getByLabelText(/^User/), ' u1 ');
    await user.click(dialog.getByRole('button', { name: 'Preview' }));
    return opened;
  };

  it('shows subject and text for one user, with the parameters of the step', async () => {
    const { api, dialog } = await openFor({ outcome: 'message', message, cause: null });
    const section = within(await dialog.findByRole('region', { name: 'Message' }));
    expect([
      section.getByText('Hello Ada'),
      section.getByText('ada@example.com'),
      section.getByText('Hello'),
    ]).toHaveLength(3);
    expect(api.requestsTo('POST /v1/action-types/send-message/preview').map(({ body }) => body)).toEqual([
      { user: 'u1', country: 'SG', params: { template: 'payday' } },
    ]);
  });

  it('is shown for a user of a list of testers, in the country of the list', async () => {
    const { api, user, dialog } = await open(
      { outcome: 'message', message, cause: null },
      {
        'GET /v1/audiences': audiencesBy({ list: [testers] }),
        'GET /v1/audiences/aud_testers/users': {
          items: [
            { user: 'ada', country: 'BR' },
            { user: 'zoë', country: 'SG' },
          ],
          next: null,
        },
      },
    );
    await user.selectOptions(await dialog.findByLabelText('List of testers'), 'Our testers');
    await user.selectOptions(await dialog.findByLabelText('Tester'), await dialog.findByText('zoë (SG)'));
    expect(dialog.queryByText('ada (BR)')).toBeNull();
    await user.click(dialog.getByRole('button', { name: 'Preview' }));
    await dialog.findByRole('region', { name: 'Message' });
    expect(api.requestsTo('POST /v1/action-types/send-message/preview').map(({ body }) => body)).toEqual([
      { user: 'zoë', country: 'SG', params: { template: 'payday' } },
    ]);
  });

  it('shows why there is no message', async () => {
    const { dialog } = await openFor({
      outcome: 'refused',
      message: null,
      cause: 'no-address: the user has no address',
    });
    expect((await dialog.findByRole('alert')).textContent).toBe(
      'This user would get no message: no-address: the user has no address',
    );
  });

  it('shows problems of the request at their field', async () => {
    const errors = [{ pointer: '/user', code: 'invalid-user-id', detail: 'is not a user id' }];
    const { dialog } = await openFor(() => problem(422, 'invalid-request', 'the request has problems', errors));
    expect(await dialog.findByText('Is not a user id')).toBeDefined();
  });
});
