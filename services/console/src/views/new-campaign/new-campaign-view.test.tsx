// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { draft, preview, runningCampaign } from '../../testing/campaigns.ts';
import { problem } from '../../testing/fake-api.ts';
import { actionTypes } from '../../testing/installation.ts';
import { audiencesBy, named, partners, segments } from '../../testing/audiences.ts';
import { counted } from '../../testing/counts.ts';
import { rewardOptions } from '../../testing/options.ts';
import { savedRiders } from '../../testing/saved-audiences.ts';
import { openConsole } from '../../testing/open-console.tsx';

const name = () => screen.findByLabelText('Name of the campaign');

test('a viewer is told that it writes none, and is not led through a form first', async () => {
  await openConsole('/campaigns/new', { role: 'viewer' });
  expect(await screen.findByText('This key writes no campaigns')).toBeDefined();
  expect(screen.queryByLabelText('Name of the campaign')).toBeNull();
});

describe('its segments', () => {
  test('are found by name, and chosen with their size and use in sight', async () => {
    const { api, user } = await openConsole('/campaigns/new');
    await user.click(await screen.findByRole('button', { name: 'Include a segment' }));
    const field = await screen.findByRole('combobox', { name: 'Segment' });
    await screen.findByRole('option', { name: /Lapsed riders lapsed-riders.*about 125,000 users, 3 campaigns/ });
    await user.type(field, 'lapsed');
    await waitFor(() =>
      expect(api.askedFor('GET /v1/audiences').at(-1)?.query).toMatchObject({ kind: 'segment', q: 'lapsed' }),
    );
    await user.keyboard('{ArrowDown}{Enter}');
    const list = await screen.findByRole('list', { name: 'Included' });
    expect(list.textContent).toContain('lapsed-riders');
  });

  test('that are not offered may be typed, and that is said', async () => {
    const { user } = await openConsole('/campaigns/new');
    await user.click(await screen.findByRole('button', { name: 'Include a segment' }));
    await user.type(await screen.findByRole('combobox', { name: 'Segment' }), 'unheard-of');
    expect(await screen.findByText(/^No segment has this id in the list/)).toBeDefined();
    await user.keyboard('{Enter}');
    expect((await screen.findByRole('list', { name: 'Included' })).textContent).toContain('unheard-of');
  });

  test('are those in use while the service is away, which is said', async () => {
    const unavailable = 'the segmentation service does not answer: HTTP 503';
    const answers = { 'GET /v1/audiences': { ...segments, segmentsFrom: 'use', unavailable } };
    const { user } = await openConsole('/campaigns/new', { answers });
    await user.click(await screen.findByRole('button', { name: 'Include a segment' }));
    expect(await screen.findByText(/HTTP 503\. These are segments in use\./)).toBeDefined();
  });
});

describe('how many they are', () => {
  test('is an estimate from the least to the most, then a number that is greyed by the next change', async () => {
    const { user } = await openConsole('/campaigns/new', {
      answers: { 'POST /v1/audiences/exact-counts': counted, 'GET /v1/audiences/exact-counts/cnt_1': counted },
    });
    const size = await screen.findByRole('group', { name: 'How many' });
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
  test('begins a campaign with its countries and sources, which say where they are from', async () => {
    const { api, user } = await openConsole('/campaigns/new?saved=sav_riders', {
      answers: { 'POST /v1/campaigns': draft },
    });
    const taken = await screen.findByRole('link', { name: 'Lapsed riders without staff' });
    expect(taken.getAttribute('href')).toBe('/audiences?of=saved&id=sav_riders');
    await user.type(await name(), 'Riders');
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(api.askedFor('POST /v1/campaigns')).toHaveLength(1));
    expect(api.askedFor('POST /v1/campaigns')[0]?.body).toMatchObject({
      countries: ['SG', 'VN'],
      audience: savedRiders.audience,
      savedAudience: { id: 'sav_riders', revision: 2 },
    });
  });

  test('is not said any more once a source is taken away', async () => {
    const { user } = await openConsole('/campaigns/new?saved=sav_riders');
    await screen.findByRole('link', { name: 'Lapsed riders without staff' });
    await user.click(screen.getByRole('button', { name: 'Remove list 2' }));
    expect(screen.queryByRole('link', { name: 'Lapsed riders without staff' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Save this audience…' })).toBeDefined();
  });

  test('is chosen by name, in the place of what stood there', async () => {
    const { user } = await openConsole('/campaigns/new?segment=vip');
    await user.click(await screen.findByRole('button', { name: 'Take a saved audience…' }));
    expect(screen.getByText('Its sources take the place of the one above.')).toBeDefined();
    await user.click(await screen.findByRole('option', { name: /Lapsed riders without staff/ }));
    const list = await screen.findByRole('list', { name: 'Included' });
    expect(list.textContent).toContain('lapsed-riders');
    expect(list.textContent).not.toContain('vip');
  });

  test('is made of what is written, under a name', async () => {
    const { api, user } = await openConsole('/campaigns/new?segment=vip', {
      answers: { 'POST /v1/audiences': () => Response.json({ ...savedRiders, warnings: [] }, { status: 201 }) },
    });
    await user.type(await screen.findByLabelText('Add a country by its code'), 'sg ');
    await user.click(screen.getByRole('button', { name: 'Save this audience…' }));
    await user.type(screen.getByLabelText(/^Name needed/), 'Vips');
    await user.type(screen.getByLabelText('Owner'), 'growth');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('link', { name: 'Lapsed riders without staff' })).toBeDefined();
    expect(api.askedFor('POST /v1/audiences')[0]?.body).toEqual({
      ...{ name: 'Vips', owner: 'growth', countries: ['SG'], audience: { include: [{ segment: 'vip' }] } },
    });
  });
});

describe('its countries', () => {
  test('are all of many at once, or one by its name', async () => {
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

  test('is chosen by the name that its team has for it, which stands in the review beside its value', async () => {
    const { api, user, field } = await openStep();
    await user.click(field);
    await screen.findByRole('option', { name: /Ride, 5 off ride-5.*3 campaigns/ });
    await user.click(await screen.findByRole('option', { name: /Airport ride, 15 off airport-15.*only SG/ }));
    expect(field).toHaveProperty('value', 'airport-15');
    expect(screen.queryByRole('option', { name: /airport-15/ })).toBeNull();
    const review = screen.getByRole('complementary', { name: 'Review' });
    expect(await within(review).findByText('Airport ride, 15 off')).toBeDefined();
    expect(review.textContent).toContain('airport-15not in VN');
    const [asked] = api.askedFor('GET /v1/action-types/award-reward/options');
    expect(asked?.query).toEqual({ parameter: '/rewardId', limit: '20' });
  });

  test('is searched while one types, and chosen by keys', async () => {
    const { api, user, field } = await openStep();
    await user.type(field, 'ride');
    const asked = () => api.askedFor('GET /v1/action-types/award-reward/options').at(-1)?.query;
    await waitFor(() => expect(asked()).toMatchObject({ q: 'ride' }));
    await screen.findByRole('option', { name: /ride-5/ });
    await user.keyboard('{ArrowDown}{Enter}');
    expect(field).toHaveProperty('value', 'ride-5');
  });

  test('may be anything else, and that is said', async () => {
    const { user, field } = await openStep();
    await user.type(field, 'unheard-of');
    expect(await screen.findByText(/^Not in the list of its team/)).toBeDefined();
    expect(field).toHaveProperty('value', 'unheard-of');
  });

  test('is of earlier campaigns while its list cannot be had, and why is said', async () => {
    const unavailable = 'its options could not be asked for: HTTP 503';
    const list = { ...rewardOptions, from: 'earlier-campaigns', unavailable };
    const { user, field } = await openStep({ 'GET /v1/action-types/:name/options': list });
    await user.click(field);
    expect(await screen.findByText(/HTTP 503\. These are of earlier campaigns\./)).toBeDefined();
  });

  test('stays a field to type in where nothing can be asked', async () => {
    const answer = () => problem(503, 'unavailable', 'not now');
    const { user, field } = await openStep({ 'GET /v1/action-types/:name/options': answer });
    await user.type(field, 'ride-5');
    expect(field).toHaveProperty('value', 'ride-5');
    expect(screen.queryByText(/^Not in the list/)).toBeNull();
  });
});

describe('a new campaign', () => {
  test(
    'is written part by part, saved as a draft and said to the API as it was written',
    { timeout: 30_000 },
    async () => {
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
      expect(api.askedFor('POST /v1/campaigns')[0]?.body).toMatchObject({
        name: 'Payday top-up',
        countries: ['SG', 'VN'],
        audience: { include: [{ segment: 'lapsed-riders' }], holdOutPercent: 5 },
        chain: [{ action: 'award-reward', params: { rewardId: 'ride-5' } }],
        paceUsersPerSecond: 200,
      });
    },
  );

  test('tells what is missing at its field once somebody wants to start', async () => {
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

  test('is kept in this tab while it is not saved, and can be begun anew', async () => {
    const first = await openConsole('/campaigns/new');
    await first.user.type(await name(), 'Half a name');
    expect(await screen.findByText(/Not saved yet; kept in this tab/)).toBeDefined();
    await waitFor(() => expect(Object.values(localStorage).join()).toContain('Half a name'), { timeout: 5_000 });
  });

  test('starts as a copy of another one', async () => {
    await openConsole('/campaigns/new?copy=cmp_live');
    const field = await name();
    expect(field.getAttribute('value')).toContain('Payday, slowly');
    expect(screen.getByText(/Copied from/)).toBeDefined();
  });

  test('that is a copy is saved as one, with all that is typed', async () => {
    const { api, user, address } = await openConsole('/campaigns/new?copy=cmp_live', {
      answers: { 'POST /v1/campaigns/:id/clone': () => Response.json(draft, { status: 201 }) },
    });
    await name();
    await user.click(screen.getByRole('button', { name: 'Save draft' }));
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_draft/edit'));
    const [asked] = api.askedFor('POST /v1/campaigns/cmp_live/clone');
    expect(asked?.body).toMatchObject({ name: 'Payday, slowly, copy', budgets: null, paceUsersPerSecond: 20 });
  });
});

describe('a draft', () => {
  const saved = { ...draft, revision: 2 };
  const answers = {
    'PATCH /v1/campaigns/cmp_draft': () => Response.json(saved, { headers: { etag: '"2"' } }),
    'GET /v1/campaigns/cmp_draft': () => Response.json(draft, { headers: { etag: '"1"' } }),
    'POST /v1/campaigns/:id/start': { ...draft, state: 'running' },
  };

  test(
    'that may come to almost nobody says so in the review, and again before it starts',
    { timeout: 20_000 },
    async () => {
      const countries = preview.countries.map((each) => ({ ...each, users: { ...each.users, atLeast: 2 } }));
      const detail =
        'it may reach far fewer than it seems: 4 to 19,500 users. Who is left out is known only when it runs';
      const warnings = [{ pointer: '/audience', code: 'may-be-few', detail }];
      const few = { 'POST /v1/campaigns/preview': { ...preview, countries, warnings } };
      const { user } = await openConsole('/campaigns/cmp_draft/edit', { answers: { ...answers, ...few } });
      const words = /^It may reach far fewer than it seems: 4 to 19,500 users\./;
      expect(await screen.findByText(words)).toBeDefined();
      await user.click(screen.getByRole('button', { name: 'Start…' }));
      const dialog = await screen.findByRole('dialog', { name: 'Start “A draft”?' }, { timeout: 5_000 });
      expect(within(dialog).getByText(words)).toBeDefined();
      expect(dialog.textContent).toContain('4 to 19,500');
    },
  );

  test('whose segment there is not is red at that segment, before anybody tries to start it', async () => {
    const detail = 'there is no segment "lapsed-riders"';
    const errors = [{ pointer: '/audience/include/0', code: 'unknown-segment', detail }];
    const refused = { 'POST /v1/campaigns/preview': { ...preview, problems: errors } };
    await openConsole('/campaigns/cmp_draft/edit', { answers: { ...answers, ...refused } });
    const list = await screen.findByRole('list', { name: 'Included' });
    await waitFor(() => expect(list.querySelector('.c-bad')?.textContent).toMatch(/no segment/));
  });

  test('is started after its dialog said whom it reaches', { timeout: 20_000 }, async () => {
    const { api, user, address } = await openConsole('/campaigns/cmp_draft/edit', { answers });
    await name();
    await user.click(screen.getByRole('button', { name: 'Start…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Start “A draft”?' }, { timeout: 5_000 });
    expect(dialog.textContent).toContain('get the first step, “Give a reward”, in SG, VN.');
    await user.click(within(dialog).getByRole('button', { name: 'Start it' }));
    await waitFor(() => expect(address()).toBe('/campaigns/cmp_draft'));
    expect(api.askedFor('POST /v1/campaigns/cmp_draft/start')).toHaveLength(1);
  });

  test(
    'is changed on the revision that was read; another’s change is shown and nothing is lost',
    { timeout: 20_000 },
    async () => {
      const { api, user } = await openConsole('/campaigns/cmp_draft/edit', { answers });
      const field = await name();
      await user.type(field, ' of mine');
      api.answer({
        'PATCH /v1/campaigns/cmp_draft': () => problem(412, 'revision-changed', 'it has revision 3 by now'),
      });
      await user.click(screen.getByRole('button', { name: 'Save draft' }));
      expect(await screen.findByText('Somebody else has changed this draft')).toBeDefined();
      expect(field.getAttribute('value')).toBe('A draft of mine');
      expect(api.askedFor('PATCH /v1/campaigns/cmp_draft')[0]?.headers.get('if-match')).toBe('"1"');
    },
  );

  test('its steps are moved, removed, and written as JSON', { timeout: 20_000 }, async () => {
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

  test('its users come from lists and earlier runs too, and are left out by them', { timeout: 20_000 }, async () => {
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
    await user.click(screen.getByRole('button', { name: 'Leave out an earlier run' }));
    await user.selectOptions(screen.getByLabelText('Earlier run'), 'run_ended');
    await user.click(screen.getByLabelText('succeeded'));
    await user.type(screen.getByLabelText('Of which step'), '1');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    expect(screen.getByRole('list', { name: 'Left out' }).textContent).toContain('succeeded in step 1');
    await user.click(screen.getByRole('button', { name: 'Remove run 1' }));
    expect(screen.queryByRole('list', { name: 'Left out' })).toBeNull();
  });

  test('starts at a time, at a time in each country, or again and again', { timeout: 30_000 }, async () => {
    const fires = ['2026-11-27T03:00:00.000Z', '2026-12-04T03:00:00.000Z'];
    const { user } = await openConsole('/campaigns/cmp_draft/edit', {
      answers: {
        ...answers,
        'POST /v1/schedules/preview': { fires: fires.map((at) => ({ at, note: null })), notes: [] },
      },
    });
    await name();
    await user.click(screen.getByRole('button', { name: 'Once' }));
    await user.type(screen.getByLabelText('Day and time'), '2026-12-01 09:00');
    expect(screen.getByText(/1 December 2026|Tue 1 Dec/)).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Local time per country' }));
    expect(screen.getAllByText(/VN/).length).toBeGreaterThan(0);
    await user.click(screen.getByRole('button', { name: 'Repeats' }));
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
    expect(screen.getByText('Counts from its start, whatever the clocks show')).toBeDefined();
    await user.selectOptions(screen.getByLabelText('If starts are missed'), 'skip');
  });
});

test('what has started is not edited any more', async () => {
  await openConsole('/campaigns/cmp_live/edit', { answers: { 'GET /v1/campaigns/cmp_live': runningCampaign } });
  await waitFor(() => expect(screen.queryByLabelText('Name of the campaign')).toBeNull());
  expect(screen.getByRole('main').textContent).not.toBe('');
});
