/** Sample campaigns as returned by the API: a draft, and the same one with a start time. */
export const campaign = {
  id: 'cmp_1',
  name: 'Lapsed riders',
  revision: 1,
  state: 'draft',
  countries: ['SG', 'ID'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [
    { action: 'award-reward', params: { units: 2 } },
    { action: 'send-message', params: {} },
  ],
  schedule: { type: 'now' },
  deadlineSeconds: 21_600,
  priority: 'normal',
  createdAt: '2026-11-21T20:44:20.000Z',
  origin: null,
  archivedAt: null,
  startsAt: null,
  nextRunAt: null,
  scheduleId: null,
  warnings: [],
  links: { latestRun: null },
};

const schedule = { type: 'at', time: '2127-01-15T09:00:00', zone: 'Asia/Singapore' };
export const scheduled = {
  ...campaign,
  state: 'scheduled',
  schedule,
  startsAt: '2127-01-15T01:00:00.000Z',
  nextRunAt: '2127-01-15T01:00:00.000Z',
};
