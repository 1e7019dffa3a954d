import type {
  GetCapsResponse,
  GetQuietHoursResponse,
  GetSuppressedUserResponse,
  ListSuppressionListsResponse,
  ListSuppressionUploadsResponse,
  SuppressionUpload,
} from '#client/types.gen.ts';

/** Two rules: the first for one action type in two countries, the second for all action types. */
export const quietHours: GetQuietHoursResponse = {
  revision: 3,
  rules: [
    { actionType: 'send-message', countries: ['SG', 'ID'], from: '21:00', until: '08:00', then: 'wait' },
    { actionType: '*', from: '00:00', until: '05:00', zone: 'Asia/Jakarta', then: 'drop' },
  ],
  madeAt: '2026-11-22T08:00:00.000Z',
};

/** Two caps: the first for one action type in two countries, the second for two action types and with an exemption. */
export const caps: GetCapsResponse = {
  revision: 4,
  caps: [
    {
      name: 'weekly-messages',
      actionTypes: ['send-message'],
      countries: ['SG', 'ID'],
      effects: 3,
      days: 7,
      counting: 'rolling',
      countsFrom: '2026-11-20T08:00:00.000Z',
    },
    {
      name: 'one-reward',
      actionTypes: ['award-reward', 'award-points'],
      effects: 1,
      days: 1,
      counting: 'calendar',
      exempt: ['cmp_live'],
      countsFrom: '2026-11-21T08:00:00.000Z',
    },
  ],
  madeAt: '2026-11-22T08:00:00.000Z',
};

export const suppressionLists: ListSuppressionListsResponse = {
  items: [
    { actionType: '*', people: 1204, version: 3, changedAt: '2026-11-22T08:00:00.000Z' },
    { actionType: 'send-message', people: 51_300, version: 9, changedAt: '2026-11-22T09:00:00.000Z' },
  ],
  next: null,
};

export const suppressionUpload: SuppressionUpload = {
  id: 'sup_1',
  actionType: 'send-message',
  mode: 'add',
  state: 'done',
  cause: null,
  note: 'opt-outs of October',
  rows: 51_310,
  people: 51_300,
  rejected: 1,
  rejects: [{ line: 12, value: 'a'.repeat(20), rule: 'too-long' }],
  createdAt: '2026-11-22T09:00:00.000Z',
  endedAt: '2026-11-22T09:00:04.000Z',
  links: { self: '' },
  lastCallWithinMs: 30_000,
};

export const suppressionUploads: ListSuppressionUploadsResponse = { items: [suppressionUpload], next: null };

export const suppressedUser: GetSuppressedUserResponse = {
  userId: 'u-1029',
  lists: [{ actionType: 'send-message', note: 'asked to by phone', addedAt: '2026-11-20T09:00:00.000Z' }],
};
