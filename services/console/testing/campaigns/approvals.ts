import type { Approval } from '#client/types.gen.ts';

/** An approval that waits for a second approver, and differs from the last approved revision. */
export const waitingApproval: Approval = {
  id: 'apr_waiting',
  state: 'waiting',
  stateReason: null,
  stateSince: '2026-11-23T08:20:00.000Z',
  revision: 4,
  runId: null,
  raisesBudgets: false,
  hash: `9f3c${'0'.repeat(56)}a71e`,
  usersAtMost: { SG: 600_000, ID: 900_000 },
  usersExpected: { SG: { atLeast: 4, atMost: 571_428 }, ID: { atLeast: 857_142, atMost: 857_142 } },
  unitsAtMost: 3_000_000,
  costAtMost: null,
  requiredApprovers: 2,
  reasons: ['more than 1,000,000 users'],
  given: [{ by: 'rahayu', comment: 'ID agreed with finance', at: '2026-11-23T10:02:00.000Z' }],
  submittedBy: 'mei',
  submittedAt: '2026-11-23T08:20:00.000Z',
  campaignId: 'cmp_gift',
  campaignName: 'Year-end points gift',
  startsAt: '2026-12-01T02:00:00.000Z',
  covers: {
    countries: ['SG', 'ID'],
    audience: { include: [{ segment: 'loyalty' }] },
    chain: [{ action: 'award-points', params: { points: 40 }, unitsPerUser: 2 }],
    schedule: { type: 'at', time: '2026-12-01T10:00:00', zone: 'Asia/Singapore' },
    deadlineSeconds: 21_600,
    priority: 'normal',
    usersAtMost: { SG: 600_000, ID: 900_000 },
  },
  diff: {
    from: 2,
    to: 4,
    differences: [
      { pointer: '/countries', before: ['SG'], after: ['SG', 'ID'] },
      { pointer: '/chain/0/params/points', before: 25, after: 40 },
    ],
  },
  refusedToYou: null,
  links: { campaign: '/v1/campaigns/cmp_gift', run: null },
};

export const sentBackApproval: Approval = {
  ...waitingApproval,
  id: 'apr_back',
  campaignName: 'Loyalty tier refresh',
  state: 'sent-back',
  stateReason: 'no hold-out?',
  given: [],
  diff: null,
};
