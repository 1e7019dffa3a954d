import type { Calendar, CalendarCampaign } from '#client/types.gen.ts';

const campaign = (campaignId: string, name: string, changes: Partial<CalendarCampaign>): CalendarCampaign => ({
  campaignId,
  name,
  owner: 'growth-sea',
  countries: ['SG', 'ID'],
  actions: ['send-message'],
  paceUsersPerSecond: null,
  recurs: false,
  atCap: null,
  starts: [],
  moreStarts: false,
  ...changes,
});

/** Campaigns: two that overlap on Friday, a recurring one that has run, and one that waits for its approval. */
export const calendar: Calendar = {
  asOf: '2026-11-24T02:42:00.000Z',
  from: '2026-11-23T00:00:00.000Z',
  until: '2026-11-30T00:00:00.000Z',
  isCut: false,
  capacities: [{ action: 'send-message', usersPerSecond: 200, by: 'fastest-run' }],
  items: [
    campaign('cmp_weekly', 'Weekly reactivation', {
      recurs: true,
      starts: [
        {
          at: '2026-11-23T01:00:00.000Z',
          until: '2026-11-23T02:00:00.000Z',
          state: 'completed',
          localTime: null,
          runId: 'run_weekly',
          users: 93_200,
          usersAre: 'counted',
        },
        {
          at: '2026-11-29T01:00:00.000Z',
          until: '2026-11-29T02:00:00.000Z',
          localTime: null,
          state: 'scheduled',
          runId: null,
          users: 93_200,
          usersAre: 'last-run',
        },
      ],
    }),
    campaign('cmp_late', 'Late-night food push', {
      atCap: { users: 12_400, at: '2026-11-24T01:10:00.000Z' },
      starts: [
        {
          at: '2026-11-27T00:00:00.000Z',
          until: '2026-11-27T06:00:00.000Z',
          localTime: null,
          state: 'scheduled',
          runId: null,
          users: 3_240_000,
          usersAre: 'at-most',
        },
      ],
    }),
    campaign('cmp_friday', 'Friday ride voucher', {
      starts: [
        {
          at: '2026-11-27T01:00:00.000Z',
          until: '2026-11-27T03:00:00.000Z',
          localTime: null,
          state: 'scheduled',
          runId: null,
          users: 720_000,
          usersAre: 'at-most',
        },
      ],
    }),
    campaign('cmp_gift', 'Year-end points gift', {
      actions: ['award-points'],
      starts: [
        {
          at: '2026-11-29T01:00:00.000Z',
          until: null,
          state: 'in_review',
          runId: null,
          localTime: '2026-11-29T09:00:00',
          users: 11_900_000,
          usersAre: 'at-most',
        },
      ],
    }),
  ],
};
