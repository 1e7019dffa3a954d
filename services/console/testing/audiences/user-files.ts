import type { FileReading, UserFilePreview } from '#client/types.gen.ts';

const reading: FileReading = {
  encoding: 'utf-8',
  separator: ';',
  columns: ['plan', 'customer_id', 'market'],
  userColumn: 'customer_id',
  countryColumn: 'market',
  trimmed: 0,
  warnings: [{ code: 'rounded-ids', detail: '2 user ids look like 6.59123E+11' }],
};

/** A file with chosen columns and rejected rows. */
export const filePreview: UserFilePreview = {
  format: 'plain',
  reading,
  columns: [
    { name: 'plan', use: 'ignored' },
    { name: 'customer_id', use: 'user' },
    { name: 'market', use: 'country' },
  ],
  rows: 1010,
  users: 1000,
  rejected: 10,
  usersElsewhere: 0,
  outcomes: [],
  refusal: null,
  firstUsers: [{ line: 2, userId: 'u-1', country: 'SG' }],
  countries: [
    { country: 'SG', users: 800 },
    { country: 'VN', users: 200 },
  ],
  rejects: [{ line: 9, value: 'NULL', rule: 'no-value', detail: 'the user id is a mark for a missing value' }],
};

/** The file in `filePreview`, but without a country column. */
export const withoutCountries: UserFilePreview = {
  ...filePreview,
  reading: { ...reading, countryColumn: null, warnings: [] },
  columns: filePreview.columns.map(({ name, use }) => ({ name, use: use === 'country' ? 'ignored' : use })),
  firstUsers: [{ line: 2, userId: 'u-1', country: null }],
  countries: [],
  refusal: { code: 'no-country-column', detail: 'no column is named country' },
};

/** A file of a suppression list. Its users have no countries. */
export const suppressionPreview: UserFilePreview = {
  format: 'plain',
  columns: [{ name: 'userId', use: 'user' }],
  reading: {
    ...reading,
    separator: null,
    columns: ['userId'],
    userColumn: 'userId',
    countryColumn: null,
    warnings: [],
  },
  rows: 3,
  users: 3,
  rejected: 0,
  rejects: [],
  countries: [],
  usersElsewhere: 0,
  outcomes: [],
  refusal: null,
  firstUsers: [{ line: 2, userId: 'u-1', country: null }],
};

/** A settlement file with one rejected line. */
export const settlementPreview: UserFilePreview = {
  ...suppressionPreview,
  columns: (['user', 'step', 'outcome'] as const).map((use) => ({ name: use, use })),
  rows: 13,
  users: 12,
  rejected: 1,
  outcomes: [
    { step: 1, outcome: 'succeeded', users: 11 },
    { step: 1, outcome: 'failed', users: 1 },
  ],
  rejects: [{ line: 9, value: 'u9', rule: 'invalid-step', detail: 'the step is no number from 1 to 20' }],
};
