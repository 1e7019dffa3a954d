import { describe, expect, it } from 'vitest';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { CalendarRun, CampaignRecord, CampaignsOfTime } from '../campaigns/parts.ts';
import { calendarItems, capacitiesOf } from './calendar-view.ts';

const time = {
  from: new Date('2026-11-23T00:00:00Z'),
  until: new Date('2026-11-30T00:00:00Z'),
  now: new Date('2026-11-24T12:00:00Z'),
};
const campaignId = '01890a5d-ac96-774b-bcce-b302099a8057';
const runId = '01890a5d-ac96-774b-bcce-b302099a8058';

function found(definition: Partial<CampaignDefinition>, changes: Partial<CampaignsOfTime> = {}): CampaignsOfTime {
  const record: CampaignRecord = {
    campaignId,
    revision: 1,
    state: 'scheduled',
    about: {},
    origin: null,
    createdAt: time.from,
    archivedAt: null,
    nextRunAt: null,
    scheduleId: null,
    latestRun: null,
    approval: null,
    definition: campaignDefinitionOf(definition),
  };
  const noCampaigns = {
    runs: [],
    starts: [],
    recurring: [],
    waiting: [],
    past: new Map(),
    workCalendars: new Map(),
    atCap: new Map(),
  };
  return { ...noCampaigns, records: new Map([[campaignId, record]]), ...changes };
}

const policies = { misfire: 'skip', catchUpSeconds: 0, overlap: 'allow', spreadSeconds: 0 } as const;
const everyTime = { type: 'recurring', zone: 'UTC', ...policies } as const;

const startsOf = (given: CampaignsOfTime) => calendarItems(given, new Map(), time).items[0]?.starts;

describe('the calendar', () => {
  it('expects a start to take as long as the last run of the same campaign', () => {
    const past = new Map([[campaignId, { campaignId, seconds: 3600, users: 5000 }]]);
    const starts = [{ campaignId, dueAt: new Date('2026-11-27T01:00:00Z') }];
    expect(startsOf(found({ paceUsersPerSecond: 1 }, { past, starts }))).toEqual([
      {
        at: '2026-11-27T01:00:00.000Z',
        until: '2026-11-27T02:00:00.000Z',
        state: 'scheduled',
        localTime: null,
        runId: null,
        users: 5000,
        usersAre: 'last-run',
      },
    ]);
    expect(startsOf(found({}, { starts }))).toMatchObject([{ until: null, users: null }]);
  });

  it('lists users at a cap only for campaigns with a future start', () => {
    const at = new Date('2026-11-24T01:00:00Z');
    const atCap = new Map([[campaignId, { campaignId, users: 7, at }]]);
    const starts = [{ campaignId, dueAt: new Date('2026-11-27T01:00:00Z') }];
    const ended = { scheduledFor: at, startedAt: at, endedAt: at, users: 10 };
    const runs: CalendarRun[] = [{ runId, campaignId, state: 'completed', ...ended }];
    const listed = (given: Partial<CampaignsOfTime>) =>
      calendarItems(found({}, { atCap, ...given }), new Map(), time).items.map((item) => item.atCap);
    expect(listed({ runs, starts })).toEqual([{ users: 7, at: at.toISOString() }]);
    expect(listed({ runs })).toEqual([null]);
  });

  it('extends a start until the run has begun in its last country at local time', () => {
    const schedule = {
      type: 'local' as const,
      time: '2026-11-27T09:00:00',
      zones: { SG: 'Asia/Singapore', ID: 'Asia/Jakarta' },
    };
    const past = new Map([[campaignId, { campaignId, seconds: 60, users: 10 }]]);
    const starts = [{ campaignId, dueAt: new Date('2026-11-27T01:00:00Z') }];
    const given = found({ schedule, countries: ['SG', 'ID'] }, { past, starts });
    expect(startsOf(given)).toMatchObject([
      { at: '2026-11-27T01:00:00.000Z', until: '2026-11-27T02:01:00.000Z', localTime: '2026-11-27T09:00:00' },
    ]);
  });

  it('lists future occurrences as planned starts, and past ones as runs', () => {
    const schedule = { ...everyTime, cron: '0 9 * * *' };
    const [createdAt, nextAt] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-11-25T09:00:00Z')];
    const recurring = [{ campaignId, createdAt, nextAt }];
    const run: CalendarRun = {
      runId,
      campaignId,
      state: 'completed',
      scheduledFor: new Date('2026-11-24T09:00:00Z'),
      users: 7,
      startedAt: new Date('2026-11-24T09:00:01Z'),
      endedAt: new Date('2026-11-24T09:10:00Z'),
    };
    const starts = startsOf(found({ schedule }, { recurring, runs: [run] })) ?? [];
    expect(starts.map(({ at, state }) => `${state} ${at.slice(8, 13)}`)).toEqual([
      ...['completed 24T09', 'scheduled 25T09', 'scheduled 26T09', 'scheduled 27T09', 'scheduled 28T09'],
      'scheduled 29T09',
    ]);
    expect(starts[0]).toMatchObject({ at: '2026-11-24T09:00:01.000Z', until: '2026-11-24T09:10:00.000Z' });
  });

  it('lists a bounded number of starts of a campaign that recurs every minute, and marks that there are more', () => {
    const schedule = { ...everyTime, everySeconds: 60 };
    const recurring = [{ campaignId, createdAt: time.from, nextAt: time.now }];
    const { items, isCut } = calendarItems(found({ schedule }, { recurring }), new Map(), time);
    expect(items[0]?.starts).toHaveLength(200);
    expect([items[0]?.moreStarts, isCut]).toEqual([true, true]);
  });

  it('lists a campaign in review at its planned start', () => {
    const schedule = { type: 'at' as const, time: '2026-11-29T09:00:00', zone: 'UTC' };
    expect(startsOf(found({ schedule }, { waiting: [{ campaignId }] }))).toMatchObject([
      { at: '2026-11-29T09:00:00.000Z', state: 'in_review' },
    ]);
    const later = { ...schedule, time: '2026-12-29T09:00:00' };
    expect(startsOf(found({ schedule: later }, { waiting: [{ campaignId }] }))).toBeUndefined();
  });
});

it('the capacity in the calendar is the limit of the action type, otherwise the rate of its fastest run', () => {
  const type = { batchSize: 100 };
  const types = { limited: { ...type, ratePerSecond: { users: 900, calls: 5 } }, free: type, rested: type };
  expect(
    capacitiesOf(types as never, [
      { action: 'free', usersPerSecond: 300 },
      { action: 'limited', usersPerSecond: 800 },
    ]),
  ).toEqual([
    { action: 'limited', usersPerSecond: 500, by: 'limit' },
    { action: 'free', usersPerSecond: 300, by: 'fastest-run' },
  ]);
});
