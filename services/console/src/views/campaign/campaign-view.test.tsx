// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { partners, rejects } from '../../testing/audiences.ts';
import { draft, preview, runningCampaign } from '../../testing/campaigns.ts';
import { waitingApproval } from '../../testing/approvals.ts';
import { report as testReport } from '../../testing/ended-report.ts';
import { problem, type Answers, type Asked } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';

const noRuns = { 'GET /v1/runs': { items: [], next: null } };

test('a campaign says what it is, and leads to its run', async () => {
  await openConsole('/campaigns/cmp_live');
  await screen.findByRole('heading', { name: 'Payday, slowly' });
  expect(screen.getByRole('link', { name: 'Watch' }).getAttribute('href')).toBe('/runs/run_live');
  expect(screen.getAllByText(/lapsed-riders/).length).toBeGreaterThan(0);
});

test('a campaign shows each rejected line of a list that it is for', async () => {
  const { user } = await openConsole('/campaigns/cmp_live', {
    answers: {
      'GET /v1/campaigns/:id': { ...runningCampaign, audience: { include: [{ list: 'aud_partners' }] } },
      'GET /v1/audiences/aud_partners': partners,
      'GET /v1/audiences/:id/rejects': rejects,
    },
  });
  await user.click(await screen.findByRole('button', { name: '224 bad lines' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rejected lines' }));
  expect(await dialog.findByRole('row', { name: '88 No country u-48210031,' })).toBeDefined();
  expect(dialog.getAllByRole('row')).toHaveLength(4);
});

test('its runs say whom they reached, and who failed', async () => {
  await openConsole('/campaigns/cmp_live');
  const row = (await screen.findByRole('link', { name: 'Watch' })).closest('tr');
  await waitFor(() => expect(row?.textContent).toMatch(/60058020Watch$/));
});

test('a draft is started after a dialog said whom it reaches', async () => {
  const { api, user, address } = await openConsole('/campaigns/cmp_draft', {
    answers: { ...noRuns, 'POST /v1/campaigns/:id/start': { ...draft, state: 'running' } },
  });
  expect(await screen.findByText('It has not run yet')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Start…' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(await within(dialog).findByRole('button', { name: 'Start it' }));
  await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/start')).toHaveLength(1));

  // Its run is made a moment later, and is what one wants to see.
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
      /pauses by itself if more users than that fail in a step, judged from 1,000 users on/,
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
    const bodies = () => api.askedFor('POST /v1/campaigns/cmp_draft/start').map(({ body }) => body);
    await waitFor(() => expect(bodies()).toEqual([{ canary: { percent: 5, then: 'pause' } }]));
  });

  it('submits for approval in place of the start, if the policy asks for one', async () => {
    const submitted = { 'POST /v1/campaigns/:id/submit': waitingApproval };
    const { api, user, dialog } = await open({ ...rules({ usersAbove: 1000, approvers: 1 }), ...submitted });
    const button = await within(dialog).findByRole('button', { name: 'Submit for approval' });
    await waitFor(() => expect(within(dialog).queryByRole('button', { name: 'Start it' })).toBeNull());
    await user.click(button);
    await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/submit')).toHaveLength(1));
    expect(api.askedFor('POST /v1/campaigns/cmp_draft/start')).toHaveLength(0);
  });

  it('offers to submit once a start was refused for want of an approval', async () => {
    const refuse = () => problem(409, 'approval-needed', 'cmp_draft needs 1 approver');
    const { user, dialog } = await open({ 'POST /v1/campaigns/:id/start': refuse });
    expect(within(dialog).queryByRole('button', { name: 'Submit for approval' })).toBeNull();
    await user.click(within(dialog).getByRole('button', { name: 'Start it' }));
    expect(await within(dialog).findByRole('button', { name: 'Submit for approval' })).toBeDefined();
    expect(within(dialog).getByRole('alert').textContent).toContain('needs 1 approver');
  });
});

test('a scheduled one is taken back', async () => {
  const scheduled = {
    ...runningCampaign,
    state: 'scheduled',
    schedule: { type: 'at', at: '2026-12-01T09:00:00.000Z' },
    startsAt: '2026-12-01T09:00:00.000Z',
  };
  const { api, user } = await openConsole('/campaigns/cmp_live', {
    answers: { ...noRuns, 'GET /v1/campaigns/cmp_live': scheduled, 'POST /v1/campaigns/:id/unschedule': draft },
  });
  await user.click(await screen.findByRole('button', { name: 'Take back…' }));
  await user.click(await screen.findByRole('button', { name: 'Take it back' }));
  await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_live/unschedule')).toHaveLength(1));
});

test('one that repeats shows its next starts, and its rhythm can be paused', async () => {
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
  const pause = await screen.findByRole('button', { name: 'Pause the rhythm' });
  expect(screen.queryByText('Its rhythm is paused')).toBeNull();
  api.answer({ 'GET /v1/schedules/sch_1': { id: 'sch_1', state: 'paused' } });
  await user.click(pause);
  await waitFor(() => expect(api.askedFor('POST /v1/schedules/sch_1/pause')).toHaveLength(1));
  expect(await screen.findByText('Its rhythm is paused')).toBeDefined();
});

test('what is said about it leads to others of its kind, and is changed while it runs', async () => {
  const said = { ...runningCampaign, owner: 'growth', tags: ['payday'], description: 'Brings riders back' };
  const { api, user } = await openConsole('/campaigns/cmp_live', {
    answers: { ...noRuns, 'GET /v1/campaigns/cmp_live': said, 'PATCH /v1/campaigns/:id': said },
  });
  expect(await screen.findByText('Brings riders back')).toBeDefined();
  expect(screen.getByRole('link', { name: 'payday' }).getAttribute('href')).toBe('/campaigns?tag=payday');
  await user.click(screen.getByRole('button', { name: 'Edit what is said' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByLabelText('Tags'), ' december');
  await user.clear(within(dialog).getByLabelText('Owner'));
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.askedFor('PATCH /v1/campaigns/cmp_live')).toHaveLength(1));
  expect(api.askedFor('PATCH /v1/campaigns/cmp_live')[0]?.body).toEqual({ owner: null, tags: ['payday', 'december'] });
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
    await user.click(await screen.findByRole('button', { name: 'What changed in revision 3' }));
    const dialog = await screen.findByRole('dialog', { name: 'What changed in revision 3' });
    const rows = await within(dialog).findAllByRole('row');
    expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
      'CountriesSGSG, VN',
      'Step 1, Units12',
      'Pace20not there',
    ]);
    const [asked] = api.askedFor('GET /v1/campaigns/cmp_draft/revisions/2/diff');
    expect(asked?.query).toEqual({ to: '3' });
  });

  test('becomes an earlier one again, after a dialog showed what that changes', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', { answers });
    const restore = await screen.findAllByRole('button', { name: /^Restore revision/ });
    expect(restore).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Restore revision 1' }));
    await user.click(await screen.findByRole('button', { name: 'Restore it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.askedFor('GET /v1/campaigns/cmp_draft/revisions/3/diff')[0]?.query).toEqual({ to: '1' });
    expect(api.askedFor('POST /v1/campaigns/cmp_draft/revisions/1/restore')).toHaveLength(1);
  });

  test('and was started since only shows them', async () => {
    const started = { ...changed, state: 'completed', links: { ...changed.links, latestRun: '/v1/runs/run_ended' } };
    await openConsole('/campaigns/cmp_draft', { answers: { ...answers, 'GET /v1/campaigns/cmp_draft': started } });
    expect(await screen.findAllByRole('button', { name: /^What changed in revision/ })).toHaveLength(2);
    expect(screen.queryByRole('button', { name: /^Restore revision/ })).toBeNull();
  });
});

test('a copy leads to what it was made from', async () => {
  const copy = { ...draft, origin: { campaignId: 'cmp_live', revision: 3 } };
  await openConsole('/campaigns/cmp_draft', { answers: { ...noRuns, 'GET /v1/campaigns/cmp_draft': copy } });
  const link = await screen.findByRole('link', { name: 'revision 3 of another' });
  expect(link.getAttribute('href')).toBe('/campaigns/cmp_live');
});

test('a draft is put away after a dialog said what that means', async () => {
  const { api, user } = await openConsole('/campaigns/cmp_draft', {
    answers: { ...noRuns, 'POST /v1/campaigns/:id/archive': draft },
  });
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Archive…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Archive “A draft”?' });
  await user.click(within(dialog).getByRole('button', { name: 'Archive it' }));
  await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/archive')).toHaveLength(1));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('one that is put away is neither started nor edited, but taken out', async () => {
  const archivedAt = '2026-11-23T08:00:00.000Z';
  const { api, user } = await openConsole('/campaigns/cmp_draft', {
    answers: {
      ...noRuns,
      'GET /v1/campaigns/cmp_draft': { ...draft, archivedAt },
      'POST /v1/campaigns/:id/unarchive': draft,
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Take out of the archive…' }));
  expect(screen.queryByRole('button', { name: 'Start…' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Edit' })).toBeNull();
  await user.click(await screen.findByRole('button', { name: 'Take it out' }));
  await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/unarchive')).toHaveLength(1));
});

test('what keeps a campaign from being deleted is said, and what is deleted leads to the list', async () => {
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

test('one that is not there says so', async () => {
  await openConsole('/campaigns/cmp_none', {
    answers: { 'GET /v1/campaigns/cmp_none': () => problem(404, 'not-found', 'there is no campaign') },
  });
  expect(await screen.findByText('The campaign could not be read')).toBeDefined();
});

describe('where the installation asks for approvals', () => {
  const rules = { revision: 1, rules: [{ usersAbove: 1000, approvers: 1 }], madeAt: '2026-11-01T00:00:00.000Z' };
  const asks = { ...noRuns, 'GET /v1/approval-policy': rules };

  test('a draft is submitted after a dialog said what that covers', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: { ...asks, 'POST /v1/campaigns/:id/submit': waitingApproval },
    });
    await user.click(await screen.findByRole('button', { name: 'Submit for approval…' }));
    await user.click(await screen.findByRole('button', { name: 'Submit it' }));
    await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/submit')).toHaveLength(1));
  });

  test('one that waits says for whom, leads there, may still be changed, and is withdrawn', async () => {
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
    expect(screen.getByRole('link', { name: 'What it covers' }).getAttribute('href')).toBe('/approvals?id=apr_waiting');
    await user.click(screen.getByRole('button', { name: 'Withdraw…' }));
    await user.click(await screen.findByRole('button', { name: 'Withdraw it' }));
    await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/withdraw')).toHaveLength(1));
  });
});

test('where it asks for none, nothing is said of approvals', async () => {
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
    summary: 'The whole audience is read, and nobody is called.',
    warnings: [],
    links: { self: '/v1/runs/run_dry', report: '/v1/runs/run_dry/report' },
  };
  const reported = {
    ...dry,
    state: 'completed',
    audience: { estimated: 2000, counted: 1500, excluded: 12, shared: 0, complete: true },
    steps: testReport.steps.map((step) => ({ ...step, succeeded: 1400 })),
    forecast: {
      batchUsers: 100,
      load: [],
      takesSeconds: { atLeast: 60, atMost: 60 },
      restsOn: 'It rests on its pace.',
    },
  };

  test('is begun by a press, and what came of it stands there', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'POST /v1/campaigns/:id/trials': dryAnswer,
        'GET /v1/runs/run_dry/report': reported,
      },
    });
    const button = await screen.findByRole('button', { name: 'Start a dry run' });
    api.answer({
      'GET /v1/runs': ({ query }: Asked) => ({ items: query['kind'] === 'dry-run' ? [dry] : [], next: null }),
    });
    await user.click(button);
    expect(await screen.findByText(/of 1,500 users would come through the chain; 12 are excluded/)).toBeDefined();
    expect(screen.getByText('about 1 min')).toBeDefined();
    expect(api.askedFor('POST /v1/campaigns/cmp_draft/trials').map(({ body }) => body)).toEqual([{ kind: 'dry-run' }]);
    expect(screen.getByRole('button', { name: 'Start another dry run' })).toBeDefined();
  });

  test('cannot be started while one is in progress, which its button says', async () => {
    const running = { ...dry, state: 'running', endedAt: null };
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'GET /v1/runs': ({ query }: Asked) => ({ items: query['kind'] === 'dry-run' ? [running] : [], next: null }),
        'GET /v1/runs/run_dry/report': { ...reported, state: 'running', endedAt: null },
      },
    });
    const button = await screen.findByRole('button', { name: 'Dry run in progress' });
    expect(button.hasAttribute('disabled')).toBe(true);
  });

  test('says why it may not be begun', async () => {
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
      ...{ mode: index === 0 ? 'test' : 'live', audience: 2, succeeded: 2 - index, failed: index, skipped: 0 },
    })),
    failures: [
      {
        ...{ step: 2, country: 'SG', outcome: 'failed', reason: 'no-text-for-locale', users: 1 },
        ...{ sample: ['u2'], retryable: false },
      },
    ],
  };

  test('is sent once its sender has read what is real, and its result stands where it was sent', async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'POST /v1/campaigns/:id/trials': ({ body }: Asked) =>
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
      'GET /v1/runs': ({ query }: Asked) => ({ items: query['kind'] === 'test' ? [testRun] : [], next: null }),
    });
    await user.click(send);
    await screen.findByText('These 2 really got “Send a message”. Calls of “Give a reward” were marked as a test.');
    expect(screen.getByText('1 of 2 through the chain')).toBeDefined();
    expect(screen.getByText('1 failed in step 2: no-text-for-locale (u2)')).toBeDefined();
    const bodies = api.askedFor('POST /v1/campaigns/cmp_draft/trials').map(({ body }) => body);
    expect(bodies.at(-1)).toEqual({ kind: 'test', users: ['u1', 'u2'], country: 'SG' });
    expect(bodies.at(-2)).toEqual({ kind: 'test', users: ['u1', 'u2'], country: 'SG', preview: true });
  });

  test('reaches users again only if its sender requests it', async () => {
    const reached = 'an earlier live test of cmp_draft has reached "u1": name other users, or';
    const detail = `${reached} ask to reach them again ("again": true)`;
    const { api, user } = await openConsole('/campaigns/cmp_draft', {
      answers: {
        ...noRuns,
        'POST /v1/campaigns/:id/trials': ({ body }: Asked) =>
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
    await waitFor(() => expect(api.askedFor('POST /v1/campaigns/cmp_draft/trials').at(-1)?.body).toEqual(body));
  });

  test('shows how many tests there were, and how many users the live ones were sent to', async () => {
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        'GET /v1/runs': ({ query }: Asked) => ({ items: query['kind'] === 'test' ? [testRun] : [], next: null }),
        'GET /v1/runs/run_test/report': reported,
        'GET /v1/campaigns/cmp_draft/trials/counts': { dryRuns: 0, tests: 3, liveTests: 2, users: 27, steps: [] },
      },
    });
    expect(await screen.findByText('3 tests so far, 2 live, sent to 27 users')).toBeDefined();
  });

  test('of an earlier revision names that revision', async () => {
    await openConsole('/campaigns/cmp_draft', {
      answers: {
        'GET /v1/runs': ({ query }: Asked) => ({ items: query['kind'] === 'test' ? [testRun] : [], next: null }),
        'GET /v1/runs/run_test/report': reported,
        'GET /v1/campaigns/cmp_draft': { ...draft, revision: 2 },
      },
    });
    expect(await screen.findByText(/of revision \d+, not of this one/)).toBeDefined();
  });

  test('says why it may not be sent', async () => {
    const detail = 'cmp_draft needs 1 approver (more than 1 users): POST /v1/campaigns/cmp_draft/submit asks for it';
    const { user } = await openConsole('/campaigns/cmp_draft', {
      answers: { ...noRuns, 'POST /v1/campaigns/:id/trials': () => problem(409, 'approval-needed', detail) },
    });
    await user.click(await screen.findByRole('button', { name: 'Send a test…' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByLabelText(/Users/), 'u1');
    const said = 'cmp_draft needs 1 approver (more than 1 users): “Submit for approval…” on its page asks for it';
    expect(await within(dialog).findByText(said)).toBeDefined();
    expect(within(dialog).getByRole('button', { name: 'Send it' })).toHaveProperty('disabled', true);
  });
});
