import { describe, expect, it } from 'vitest';
import type { Campaign } from '#client/types.gen.ts';
import { wholeValue } from '../forms/schema-values.ts';
import { spanOf } from '../when/durations.ts';
import { definitionOf, formOf, newForm, newStep, offersChoice } from './form-definition.ts';
import type { CampaignForm } from './form.ts';
import { mergeStep } from './variant-forms.ts';

const types = [
  {
    name: 'award-reward',
    paramsSchema: {
      type: 'object',
      properties: { rewardId: { type: 'string' }, units: { type: 'integer', default: 1 } },
    },
  },
  { name: 'send-message' },
];

const campaign: Campaign = {
  id: 'cmp_1',
  revision: 3,
  state: 'draft',
  name: 'Lapsed riders',
  countries: ['SG', 'ID'],
  audience: {
    include: [{ segment: 'lapsed' }, { list: 'aud_1' }],
    exclude: [{ runId: 'run_1', outcomes: ['failed', 'unknown'], step: 1 }, { runId: 'run_2' }],
    holdOutPercent: 2.5,
    holdOutSeed: 'seed',
  },
  chain: [
    { action: 'award-reward', params: { rewardId: 'r', units: 2 }, unitsPerUser: 2 },
    { action: 'send-message', params: { template: { id: 1 } } },
  ],
  schedule: { type: 'at', time: '2026-12-01T09:00:00', zone: 'Asia/Singapore', catchUpSeconds: 600 },
  deadlineSeconds: 21_600,
  priority: 'high',
  budgets: [{ country: 'SG', units: 1000 }],
  paceUsersPerSecond: 1200,
  pauseAtFailedPercent: 5,
  pauseAtFailedMinUsers: 500,
  canary: { percent: 2.5, then: 'pause', maxFailedPercent: 1 },
  createdAt: '2026-01-01T00:00:00.000Z',
  origin: null,
  archivedAt: null,
  startsAt: null,
  nextRunAt: null,
  scheduleId: null,
  approval: null,
  links: { self: '', runs: '', start: '', latestRun: null },
};

const added = ['origin', 'archivedAt', 'startsAt', 'nextRunAt', 'scheduleId', 'approval', 'links'];
const readOnly = ['id', 'revision', 'state', 'createdAt', ...added];
const definition = Object.fromEntries(Object.entries(campaign).filter(([name]) => !readOnly.includes(name)));
const defineWith = (changes: Partial<CampaignForm>) => definitionOf({ ...newForm('UTC'), ...changes }, types);

describe('a form filled from a campaign', () => {
  it('returns the same definition', () => {
    expect(definitionOf(formOf(campaign, types, 'UTC'), types)).toEqual({ definition, problems: [] });
  });

  it.each<[NonNullable<Campaign['schedule']>]>([
    [{ type: 'now' }],
    [{ type: 'local', time: '2026-12-01T09:00:30', zones: { ID: 'Asia/Jakarta' }, catchUpSeconds: 90 }],
    [
      {
        type: 'recurring',
        cron: '30 2 4 * *',
        zone: 'Australia/Sydney',
        catchUpSeconds: 3600,
        from: '2026-12-01T13:00:00.000Z',
        until: '2027-12-01T13:00:00.000Z',
        misfire: 'skip',
        overlap: 'buffer-one',
        spreadSeconds: 30,
      },
    ],
    [
      {
        type: 'recurring',
        everySeconds: 5400,
        zone: 'UTC',
        misfire: 'fire-once',
        overlap: 'skip',
        catchUpSeconds: 60,
        spreadSeconds: 5,
      },
    ],
  ])('returns the same schedule: %j', (schedule) => {
    const form = formOf({ ...campaign, schedule }, types, 'UTC');
    expect(definitionOf(form, types).definition.schedule).toMatchObject(schedule);
  });

  it('keeps the choice of a variant after the canary', () => {
    const chain = [
      {
        action: 'award-reward',
        params: {},
        variants: ['A', 'B'].map((name) => ({ name, weight: 5000, params: { rewardId: name } })),
      },
    ];
    const canary = { percent: 20, then: 'choose-variant' } as const;
    const form = formOf({ ...campaign, chain, canary }, types, 'UTC');
    expect(definitionOf(form, types).definition.canary).toEqual(canary);
    const limited = { ...form, canaryMaxFailedPercent: '5' };
    expect(definitionOf(limited, types).definition.canary).toEqual(canary);
    const merged = { ...limited, ...mergeStep(form, 0) };
    expect(definitionOf(merged, types).definition.canary).toEqual({ percent: 20, then: 'pause', maxFailedPercent: 5 });
    expect(offersChoice({ canary: '500', canaryThen: 'pause' }, true)).toBe(false);
    expect(definitionOf({ ...form, canary: '500' }, types).definition.canary).toEqual({
      users: 500,
      then: 'choose-variant',
    });
  });

  it('edits parameters without fields as JSON, and returns them unchanged', () => {
    const odd = { ...campaign, chain: [{ action: 'award-reward', params: { units: 'two' } }] };
    const form = formOf(odd, types, 'UTC');
    expect(form.steps[0]).toMatchObject({ asJson: true, texts: { [wholeValue]: '{\n  "units": "two"\n}' } });
    expect(definitionOf(form, types).definition.chain).toEqual(odd.chain);
  });
});

describe('a form that a user fills in', () => {
  it('omits empty fields', () => {
    expect(defineWith({}).definition).toEqual({
      name: '',
      countries: [],
      audience: { include: [] },
      chain: [],
      schedule: { type: 'now' },
      deadlineSeconds: 86_400,
      priority: 'normal',
    });
  });

  it('fills a new step with the defaults of its schema', () => {
    const steps = [newStep('award-reward', types, 'a')];
    expect(defineWith({ steps }).definition.chain).toEqual([{ action: 'award-reward', params: { units: 1 } }]);
  });

  it('accepts numbers with commas', () => {
    expect(defineWith({ pace: '1,200' }).definition.paceUsersPerSecond).toBe(1200);
  });

  it('reports invalid numbers and invalid JSON at their fields', () => {
    const steps = [{ ...newStep('send-message', types, 'a'), texts: { [wholeValue]: '{' }, unitsPerUser: 'x' }];
    const form = { steps, pace: 'fast', countries: ['SG'], budgets: { SG: 'much' }, holdOutPercent: '2 %' };
    expect(defineWith(form).problems.map(({ pointer }) => pointer)).toEqual([
      '/budgets/0',
      '/audience/holdOutPercent',
      '/chain/0/params',
      '/chain/0/unitsPerUser',
      '/paceUsersPerSecond',
    ]);
  });

  it('has budgets only for its countries', () => {
    const form = { countries: ['SG', 'ID'], budgets: { ID: '5', VN: '7', SG: ' ' } };
    expect(defineWith(form).definition.budgets).toEqual([{ country: 'ID', units: 5 }]);
  });

  it('keeps only the zones of its countries', () => {
    const when = {
      ...newForm('UTC').when,
      kind: 'local' as const,
      time: '2026-12-01T09:00',
      zones: { ID: 'Asia/Jakarta', US: 'x' },
    };
    expect(defineWith({ countries: ['ID'], when }).definition.schedule).toEqual({
      type: 'local',
      time: '2026-12-01T09:00:00',
      zones: { ID: 'Asia/Jakarta' },
    });
  });

  it('converts the end of a recurrence into an instant of its zone', () => {
    const when = { ...newForm('Asia/Singapore').when, kind: 'recurring' as const, until: '2026-12-01T09:00' };
    expect(defineWith({ when }).definition.schedule).toMatchObject({ until: '2026-12-01T01:00:00.000Z' });
    expect(defineWith({ when: { ...when, zone: 'Asia/Nowh' } }).problems).toMatchObject([
      { pointer: '/schedule/until' },
    ]);
  });
});

it.each([
  [5400, '90', 'min'],
  [86_400, '1', 'd'],
  [61, '61', 's'],
  [0, '0', 's'],
])('a duration of %d seconds is shown as %s %s', (seconds, amount, unit) => {
  expect(spanOf(seconds)).toEqual({ amount, unit });
});
