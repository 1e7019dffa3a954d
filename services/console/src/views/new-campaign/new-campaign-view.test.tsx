// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { draft, preview, runningCampaign } from '../../../testing/campaigns/campaigns.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { actionTypes } from '../../../testing/installation/installation.ts';
import { audiencesBy, named, partners, segments } from '../../../testing/audiences/audiences.ts';
import { counted } from '../../../testing/audiences/counts.ts';
import { rewardOptions } from '../../../testing/options.ts';
import { savedRiders } from '../../../testing/audiences/saved-audiences.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const name = () => screen.findByLabelText('Name of the campaign');

test('a viewer sees the missing role instead of the form', async () => {
  await openConsole('/campaigns/new', { role: 'viewer' });
  expect(await screen.findByText('This key cannot create campaigns')).toBeDefined();
  expect(screen.queryByLabelText('Name of the campaign')).toBeNull();
});

describe('the segments of a campaign', () => {
  test('are found by name and listed with their size and use', async () => {
    const { api, user } = await openConsole('/campaigns/new');
    await user.click(await screen.findByRole('button', { name: 'Include a segment' }));
    const field = await screen.findByRole('combobox', { name: 'Segment' });
    await screen.findByRole('option', { name: /Lapsed riders lapsed-riders.*about 125,000 users, 3 campaigns/ });
    await user.type(field, 'lapsed');
    await waitFor(() =>
      expect(api.requestsTo('GET /v1/audiences').at(-1)?.query).toMatchObject({ kind: 'segment', q: 'lapsed' }),
    );
    await user.keyboard('{ArrowDown}{Enter}');
    const list = await screen.findByRole('list', { name: 'Included' });
    expect(list.textContent).toContain('lapsed-riders');
  });

  test('can be typed if they are not listed, with a hint', async () => {
    const { user } = await openConsole('/campaigns/new');
    await user.click(await screen.findByRole('button', { name: 'Include a segment' }));
    await user.type(await screen.findByRole('combobox', { name: 'Segment' }), 'unheard-of');
    expect(await screen.findByText(/^The segmentation service does not list this id/)).toBeDefined();
    await user.keyboard('{Enter}');
    expect((await screen.findByRole('list', { name: 'Included' })).textContent).toContain('unheard-of');
  });

  test('are those in use while the service is unavailable, with a hint', async () => {
    const unavailable = 'the segmentation service does not answer: HTTP 503';
    const answers = { 'GET /v1/audiences': { ...segments, segmentsFrom: 'use', unavailable } };
    const { user } = await openConsole('/campaigns/new', { answers });
    await user.click(await screen.findByRole('button', { name: 'Include a segment' }));
    expect(await screen.findByText(/HTTP 503\. Only segments in use are listed\./)).toBeDefined();
  });
});

describe('the audience size', () => {
  test('is an estimated range, then an exact number that the next change outdates', async () => {
    const { user } = await openConsole('/campaigns/new', {
      answers: { 'POST /v1/audiences/exact-counts': counted, 'GET /v1/audiences/exact-counts/cnt_1': counted },
    });
    const size = await screen.findByRole('group', { name: 'Audience size' });
    expect(within(size).getByRole('button', { name: 'Count exactly' }).getAttribute('aria-disabled')).toBe('true');
    await user.type(screen.getByLabelText('Add a country by its code'), 'sg,vn ');
    await user.click(screen.getByRole('button', { name: 'Include a segment' }));
    await user.type(screen.getByRole('combobox', { name: 'Segment' }), 'lapsed-riders{Enter}');
    expect(await within(size).findByText(/users, estimated$/)).toBeDefined();
    await user.click(within(size).getByRole('button', { name: 'Count exactly' }));
    expect(await within(size).findByText('1,700')).toBeDefined();
    expect(within(size).getByRole('button', { name: 'Count again' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Remove Vietnam' }));
    expect(await within(size).findByText(/before your last change/)).toBeDefined();
    expect(within(size).getByRole('button', { name: 'Count exactly' })).toBeDefined();
  });
});

describe('a saved audience', () => {
  test('provides countries and sources, with a link to their origin', async () => {
    const { api, user } = await openConsole('/campaigns/new?saved=sav_riders', {
      answers: { 'POST /v1/campaigns': draft },
    });
    const taken = await screen.findByRole('link', { name: 'Lapsed riders without staff' });
    expect(taken.getAttribute('href')).toBe('/audiences?of=saved&id=sav_riders');
    await user.type(await name(), 'Riders');
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(api.requestsTo('POST /v1/campaigns')).toHaveLength(1));
    expect(api.requestsTo('POST /v1/campaigns')[0]?.body).toMatchObject({
      countries: ['SG', 'VN'],
      audience: savedRiders.audience,
      savedAudience: { id: 'sav_riders', revision: 2 },
    });
  });

  test('is no longer linked once a source is removed', async () => {
    const { user } = await openConsole('/campaigns/new?saved=sav_riders');
    await screen.findByRole('link', { name: 'Lapsed riders without staff' });
    await user.click(screen.getByRole('button', { name: 'Remove list 2' }));
    expect(screen.queryByRole('link', { name: 'Lapsed riders without staff' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Save this audience…' })).toBeDefined();
  });

  test('is chosen by name and replaces the sources', async () => {
    const { user } = await openConsole('/campaigns/new?segment=vip');
    await user.click(await screen.findByRole('button', { name: 'Use a saved audience…' }));
    expect(screen.getByText('Its sources replace the one above.')).toBeDefined();
    await user.click(await screen.findByRole('option', { name: /Lapsed riders without staff/ }));
    const list = await screen.findByRole('list', { name: 'Included' });
    expect(list.textContent).toContain('lapsed-riders');
    expect(list.textContent).not.toContain('vip');
  });

  test('is created from the sources of the form, under a name', async () => {
    const { api, user } = await openConsole('/campaigns/new?segment=vip', {
      answers: { 'POST /v1/audiences': () => Response.json({ ...savedRiders, warnings: [] }, { status: 201 }) },
    });
    await user.type(await screen.findByLabelText('Add a country by its code'), 'sg ');
    await user.click(screen.getByRole('button', { name: 'Save this audience…' }));
    await user.type(screen.getByLabelText(/^Name needed/), 'Vips');
    await user.type(screen.getByLabelText('Owner'), 'growth');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('link', { name: 'Lapsed riders without staff' })).toBeDefined();
    expect(api.requestsTo('POST /v1/audiences')[0]?.body).toEqual({
      name: 'Vips',
      owner: 'growth',
      countries: ['SG'],
      audience: { include: [{ segment: 'vip' }] },
    });
  });
});

describe('the countries of a campaign', () => {
  test('are added all at once, or one by name', async () => {
    const codes = ['SG', 'ID', 'VN', 'TH', 'PH', 'MY', 'KR', 'JP', 'TW', 'HK', 'AU', 'NZ', 'IN', 'BN'];
    const items = actionTypes.items.map((type) => ({ ...type, countries: codes }));
    const { user } = await openConsole('/campaigns/new', {
      answers: { 'GET /v1/action-types': { ...actionTypes, items } },
    });
    const field = await screen.findByRole('textbox', { name: 'Add a country by its code' });
    await user.type(field, 'south korea{Enter}');
    expect(await screen.findByRole('button', { name: 'Remove South Korea' })).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Remove SOUTH' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'The other 13' }));
    expect(screen.getAllByRole('button', { name: /^Remove / })).toHaveLength(14);
    expect(screen.queryByRole('button', { name: /^Add / })).toBeNull();
  });
});

describe('a parameter with options', () => {
  async function openStep(answers = {}) {
    const opened = await openConsole('/campaigns/new', { answers });
    const { user } = opened;
    await user.type(await screen.findByLabelText('Add a country by its code'), 'sg,vn ');
    await user.selectOptions(screen.getByLabelText('Add a step'), 'award-reward');
    return { ...opened, field: await screen.findByRole('combobox', { name: /Reward id/ }) };
  }

  test('is set by the name of an option, and the review shows the name beside the value', async () => {
    const { api, user, field } = await openStep();
    await user.click(field);
    await screen.findByRole('option', { name: /Ride, 5 off ride-5.*3 campaigns/ });
    await user.click(await screen.findByRole('option', { name: /Airport ride, 15 off airport-15.*only SG/ }));
    expect(field).toHaveProperty('value', 'airport-15');
    expect(screen.queryByRole('option', { name: /airport-15/ })).toBeNull();
    const review = screen.getByRole('complementary', { name: 'Review' });
    expect(await within(review).findByText('Airport ride, 15 off')).toBeDefined();
    expect(review.textContent).toContain('airport-15not in VN');
    const [request] = api.requestsTo('GET /v1/action-types/award-reward/options');
    expect(request?.query).toEqual({ parameter: '/rewardId', limit: '20' });
  });

  test('is searched while the user types, and chosen by keyboard', async () => {
    const { api, user, field } = await openStep();
    await user.type(field, 'ride');
    const lastQuery = () => api.requestsTo('GET /v1/action-types/award-reward/options').at(-1)?.query;
    await waitFor(() => expect(lastQuery()).toMatchObject({ q: 'ride' }));
    await screen.findByRole('option', { name: /ride-5/ });
    await user.keyboard('{ArrowDown}{Enter}');
    expect(field).toHaveProperty('value', 'ride-5');
  });

  test('can be any other value, with a hint', async () => {
    const { user, field } = await openStep();
    await user.type(field, 'unheard-of');
    expect(await screen.findByText(/^Not in the list of its team/)).toBeDefined();
    expect(field).toHaveProperty('value', 'unheard-of');
  });

  test('has options of earlier campaigns while its list is unavailable, with the reason', async () => {
    const unavailable = 'its options could not be loaded: HTTP 503';
    const list = { ...rewardOptions, from: 'earlier-campaigns', unavailable };
    const { user, field } = await openStep({ 'GET /v1/action-types/:name/options': list });
    await user.click(field);
    expect(await screen.findByText(/HTTP 503\. Values from earlier campaigns are listed\./)).toBeDefined();
  });

  test('remains a text field if options cannot be requested', async () => {
    const answer = () => problem(503, 'unavailable', 'not now');
    const { user, field } = await openStep({ 'GET /v1/action-types/:name/options': answer });
    await user.type(field, 'ride-5');
    expect(field).toHaveProperty('value', 'ride-5');
    expect(screen.queryByText(/^Not in the list/)).toBeNull();
  });
});

describe('a new campaign', () => {
  test('is saved as a draft with all sections of the form', { timeout: 30_000 }, async () => {
    const { api, user, address } = await openConsole('/campaigns/new', {
      answers: { 'POST /v1/campaigns': { ...draft, id: 'cmp_draft' } },
    });
    await user.type(await name(), 'Payday top-up');
    await user.type(screen.getByLabelText('Add a country by its code'), 'sg,vn ');
    await user.click(screen.getByRole('button', { name: 'Include a segment' }));
    await user.type(screen.getByRole('combobox', { name: 'Segment' }), 'lapsed-riders{Enter}');
    await user.selectOptions(screen.getByLabelText('Add a step'), 'award-reward');
    await user.type(screen.getByLabelText(/Reward id/), 'ride-5');
    await user.type(screen.getByLabelText('Hold out'), '5');
    await user.type(screen.getByLabelText(/Pace, at most/), '200');
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_draft/edit'));
    expect(api.requestsTo('POST /v1/campaigns')[0]?.body).toMatchObject({
      name: 'Payday top-up',
      countries: ['SG', 'VN'],
      audience: { include: [{ segment: 'lapsed-riders' }], holdOutPercent: 5 },
      chain: [{ action: 'award-reward', params: { rewardId: 'ride-5' } }],
      paceUsersPerSecond: 200,
    });
  });

  test('shows missing input at its field when the user tries to start', async () => {
    const { user } = await openConsole('/campaigns/new', {
      answers: {
        'POST /v1/campaigns/preview': {
          ...preview,
          problems: [{ pointer: '/name', code: 'required', detail: 'a name is needed' }],
        },
      },
    });
    const field = await name();
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'), { timeout: 5_000 });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(field);
  });

  test('is kept in this tab while it is not saved', async () => {
    const first = await openConsole('/campaigns/new');
    await first.user.type(await name(), 'Half a name');
    expect(await screen.findByText(/Not saved yet; kept in this tab/)).toBeDefined();
    await waitFor(() => expect(Object.values(localStorage).join()).toContain('Half a name'), { timeout: 5_000 });
  });

  test('starts as a copy of another campaign', async () => {
    await openConsole('/campaigns/new?copy=cmp_live');
    const field = await name();
    expect(field.getAttribute('value')).toContain('Payday, slowly');
    expect(screen.getByText(/Copied from/)).toBeDefined();
  });

  test('is saved as a clone if it is a copy, with all fields', async () => {
    const { api, user, address } = await openConsole('/campaigns/new?copy=cmp_live', {
      answers: { 'POST /v1/campaigns/:id/clone': () => Response.json(draft, { status: 201 }) },
    });
    await name();
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_draft/edit'));
    const [request] = api.requestsTo('POST /v1/campaigns/cmp_live/clone');
    expect(request?.body).toMatchObject({ name: 'Payday, slowly, copy', budgets: null, paceUsersPerSecond: 20 });
  });
});

describe('a draft', () => {
  const saved = { ...draft, revision: 2 };
  const answers = {
    'PATCH /v1/campaigns/cmp_draft': () => Response.json(saved, { headers: { etag: '"2"' } }),
    'GET /v1/campaigns/cmp_draft': () => Response.json(draft, { headers: { etag: '"1"' } }),
    'POST /v1/campaigns/:id/start': { ...draft, state: 'running' },
  };

  test('with few users has a warning in the review and in the start dialog', { timeout: 20_000 }, async () => {
    const countries = preview.countries.map((each) => ({ ...each, users: { ...each.users, atLeast: 2 } }));
    const detail =
      'the campaign may reach far fewer users than it seems: 4 to 19,500 users. Who is left out is known only when it runs';
    const warnings = [{ pointer: '/audience', code: 'may-be-few', detail }];
    const few = { 'POST /v1/campaigns/preview': { ...preview, countries, warnings } };
    const { user } = await openConsole('/campaigns/cmp_draft/edit', { answers: { ...answers, ...few } });
    const words = /^The campaign may reach far fewer users than it seems: 4 to 19,500 users\./;
    expect(await screen.findByText(words)).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Start “A draft”?' }, { timeout: 5_000 });
    expect(within(dialog).getByText(words)).toBeDefined();
    expect(dialog.textContent).toContain('4 to 19,500');
  });

  test('shows an unknown segment as a problem before a try to start', async () => {
    const detail = 'there is no segment "lapsed-riders"';
    const errors = [{ pointer: '/audience/include/0', code: 'unknown-segment', detail }];
    const refused = { 'POST /v1/campaigns/preview': { ...preview, problems: errors } };
    await openConsole('/campaigns/cmp_draft/edit', { answers: { ...answers, ...refused } });
    const list = await screen.findByRole('list', { name: 'Included' });
    await waitFor(() => expect(list.querySelector('.c-bad')?.textContent).toMatch(/no segment/));
  });

  test('is started from a dialog that shows its users', { timeout: 20_000 }, async () => {
    const { api, user, address } = await openConsole('/campaigns/cmp_draft/edit', { answers });
    await name();
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Start “A draft”?' }, { timeout: 5_000 });
    expect(dialog.textContent).toContain('get the first step, “Give a reward”, in SG, VN.');
    await user.click(within(dialog).getByRole('button', { name: 'Start it' }));
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_draft'));
    expect(api.requestsTo('POST /v1/campaigns/cmp_draft/start')).toHaveLength(1);
  });

  test('is saved on the loaded revision, and a conflict keeps the input', { timeout: 20_000 }, async () => {
    const { api, user } = await openConsole('/campaigns/cmp_draft/edit', { answers });
    const field = await name();
    await user.type(field, ' of mine');
    api.answer({
      'PATCH /v1/campaigns/cmp_draft': () => problem(412, 'revision-changed', 'it has revision 3 by now'),
    });
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    expect(await screen.findByText('Another person has changed this draft')).toBeDefined();
    expect(field.getAttribute('value')).toBe('A draft of mine');
    expect(api.requestsTo('PATCH /v1/campaigns/cmp_draft')[0]?.headers.get('if-match')).toBe('"1"');
  });

  test('has steps that can be moved, removed, and edited as JSON', { timeout: 20_000 }, async () => {
    const { user } = await openConsole('/campaigns/cmp_draft/edit', { answers });
    await name();
    const first = screen.getByRole('group', { name: 'Step 1, Give a reward' });
    await user.click(within(first).getByRole('button', { name: 'JSON' }));
    expect(within(first).getAllByText(/rewardId/).length).toBeGreaterThan(0);
    await user.click(within(first).getByRole('button', { name: 'JSON' }));
    await user.click(screen.getByRole('button', { name: 'Move step 2 up' }));
    expect(screen.getByRole('group', { name: 'Step 1, Send a message' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Remove step 1' }));
    expect(screen.queryByRole('group', { name: /Send a message/ })).toBeNull();
  });

  test('includes lists and excludes earlier runs', { timeout: 20_000 }, async () => {
    const vip = { id: 'aud_1', name: 'VIPs' };
    const list = audiencesBy({ list: [{ ...named.partners, ...vip }] });
    const { user } = await openConsole('/campaigns/cmp_draft/edit', {
      answers: { ...answers, 'GET /v1/audiences': list, 'GET /v1/audiences/aud_1': { ...partners, ...vip } },
    });
    await name();
    await user.click(screen.getByRole('button', { name: 'Include a list' }));
    await user.selectOptions(await screen.findByLabelText('List'), 'aud_1');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    expect(await within(screen.getByRole('list', { name: 'Included' })).findByText('VIPs')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Exclude an earlier run' }));
    await user.selectOptions(screen.getByLabelText('Earlier run'), 'run_ended');
    await user.click(screen.getByLabelText('succeeded'));
    await user.type(screen.getByLabelText('Step of the run'), '1');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    expect(screen.getByRole('list', { name: 'Excluded' }).textContent).toContain('succeeded in step 1');
    await user.click(screen.getByRole('button', { name: 'Remove run 1' }));
    expect(screen.queryByRole('list', { name: 'Excluded' })).toBeNull();
  });

  test('starts at a time, at a local time of each country, or recurringly', { timeout: 30_000 }, async () => {
    const fires = ['2026-11-27T03:00:00.000Z', '2026-12-04T03:00:00.000Z'];
    const { user } = await openConsole('/campaigns/cmp_draft/edit', {
      answers: {
        ...answers,
        'POST /v1/schedules/preview': { fires: fires.map((at) => ({ at, note: null })), notes: [] },
      },
    });
    await name();
    await user.click(screen.getByRole('button', { name: 'Once' }));
    await user.type(screen.getByLabelText('Day and time'), '2126-12-03 09:00');
    expect(screen.getByText('Tue 3 Dec 2126, 09:00')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Local time per country' }));
    expect(screen.getAllByText(/VN/).length).toBeGreaterThan(0);
    await user.click(screen.getByRole('button', { name: 'Recurring' }));
    await user.click(screen.getByRole('button', { name: 'Monday', pressed: true }));
    await user.click(screen.getByRole('button', { name: 'Sunday', pressed: false }));
    expect(await screen.findByText(/At 09:00, only on Sunday/)).toBeDefined();
    await user.selectOptions(screen.getByLabelText('By'), 'cron');
    const rule = screen.getByLabelText('Rule, five fields');
    expect(rule).toHaveProperty('value', '0 9 * * SUN');
    await user.clear(rule);
    await user.type(rule, '0 10 * * 5');
    expect(await screen.findByText(/At 10:00/)).toBeDefined();
    await user.selectOptions(screen.getByLabelText('By'), 'every');
    expect(screen.getByText('Counts from the start; clock changes have no effect')).toBeDefined();
    await user.selectOptions(screen.getByLabelText('If starts are missed'), 'skip');
  });
});

test('a started campaign cannot be edited', async () => {
  await openConsole('/campaigns/cmp_live/edit', { answers: { 'GET /v1/campaigns/cmp_live': runningCampaign } });
  await waitFor(() => expect(screen.queryByLabelText('Name of the campaign')).toBeNull());
  expect(screen.getByRole('main').textContent).not.toBe('');
});
