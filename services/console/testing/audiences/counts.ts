import type { ExactCount } from '#client/types.gen.ts';

const line = { excluded: 0, shared: 0, withUsers: null, both: null, parts: null };

/** An exact count that has ended. */
export const counted: ExactCount = {
  id: 'cnt_1',
  state: 'done',
  cause: null,
  countries: ['SG', 'VN'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  users: 1700,
  excluded: 10,
  shared: 50,
  withUsers: null,
  both: null,
  parts: null,
  counted: [
    { country: 'SG', done: true, users: 1400, ...line, excluded: 10, shared: 50 },
    { country: 'VN', done: true, users: 300, ...line },
  ],
  requestedBy: 'mei',
  requestedAt: '2026-11-21T20:44:20.000Z',
  startedAt: '2026-11-21T20:44:21.000Z',
  endedAt: '2026-11-21T20:44:29.000Z',
  links: { self: '/v1/audiences/exact-counts/cnt_1' },
};

/** The count in `counted` while it is still under way. */
export const counting: ExactCount = {
  ...counted,
  state: 'running',
  users: 1200,
  excluded: 0,
  shared: 0,
  endedAt: null,
  counted: [{ country: 'SG', done: false, users: 1200, ...line }],
};

/** An exact count of two audiences, for their overlap. */
export const overlap: ExactCount = {
  ...counted,
  id: 'cnt_2',
  excluded: 0,
  shared: 0,
  withUsers: 900,
  both: 400,
  with: { include: [{ segment: 'staff' }] },
  counted: [
    { country: 'SG', done: true, users: 1400, ...line, withUsers: 500, both: 300 },
    { country: 'VN', done: true, users: 300, ...line, withUsers: 400, both: 100 },
  ],
  links: { self: '/v1/audiences/exact-counts/cnt_2' },
};
