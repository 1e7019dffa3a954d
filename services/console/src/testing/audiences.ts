import type { Audience, ListAudienceRejectsResponses, SegmentList } from '#client/types.gen.ts';

/** A list of two countries, some of whose lines are no user. */
export const partners: Audience = {
  id: 'aud_partners',
  name: 'hcmc-airport-partners-2026-11-18.csv',
  state: 'ready',
  users: 40_818,
  countries: [
    { country: 'ID', users: 818 },
    { country: 'VN', users: 40_000 },
  ],
  rows: 41_206,
  duplicates: 164,
  rejected: 224,
  cause: null,
  usedBy: 2,
  createdAt: '2026-11-18T16:47:00.000Z',
  readyAt: '2026-11-18T16:47:09.000Z',
  links: { self: '/v1/audiences/aud_partners', rejects: '/v1/audiences/aud_partners/rejects' },
};

export const cutList: Audience = {
  ...partners,
  ...{ id: 'aud_cut', name: 'pilot-penang.csv', state: 'failed', users: 0, countries: [], rows: 604, duplicates: 0 },
  ...{ rejected: 0, usedBy: 0, readyAt: null, cause: 'the upload was cut after 604 lines' },
};

export const rejects: ListAudienceRejectsResponses[200] = {
  items: [
    { line: 88, value: 'u-48210031,', rule: 'missing-country' },
    { line: 402, value: 'u-77120945,KH', rule: 'unknown-country' },
    { line: 900, value: 'u-48210032,', rule: 'missing-country' },
  ],
  next: null,
};

/** As the segmentation service offers them. */
export const segments: SegmentList = {
  items: [
    {
      ...{ id: 'lapsed-riders', name: 'Lapsed riders', description: 'No ride in 90 days', countries: ['SG', 'VN'] },
      ...{ estimate: 125_000, usedBy: 3 },
    },
    { id: 'staff', name: 'staff', description: null, countries: null, estimate: null, usedBy: 0 },
  ],
  ...{ next: null, from: 'segmentation', unavailable: null },
};
