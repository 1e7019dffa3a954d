import type { FakeRequest } from '../fakes/fake-api.ts';
import { savedRiders, savedWallets } from './saved-audiences.ts';
import type {
  UploadedAudience,
  ListAudienceRejectsResponses,
  ListedAudience,
  AudienceCounts,
  AudienceList,
} from '#client/types.gen.ts';

/** A list of two countries with rejected lines. */
export const partners: UploadedAudience = {
  kind: 'list',
  id: 'aud_partners',
  name: 'hcmc-airport-partners-2026-11-18.csv',
  owner: 'wallet',
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
  usedBySaved: 0,
  createdAt: '2026-11-18T16:47:00.000Z',
  readyAt: '2026-11-18T16:47:09.000Z',
  expiresAt: null,
  kept: false,
  links: {
    self: '/v1/audiences/aud_partners',
    users: '/v1/audiences/aud_partners/users',
    rejects: '/v1/audiences/aud_partners/rejects',
  },
};

export const cutList: UploadedAudience = {
  ...partners,
  id: 'aud_cut',
  name: 'pilot-penang.csv',
  state: 'failed',
  users: 0,
  countries: [],
  rows: 604,
  duplicates: 0,
  rejected: 0,
  usedBy: 0,
  readyAt: null,
  cause: 'the upload was cut after 604 lines',
};

export const rejects: ListAudienceRejectsResponses[200] = {
  items: [
    { line: 88, value: 'u-48210031,', rule: 'missing-country' },
    { line: 402, value: 'u-77120945,KH', rule: 'unknown-country' },
    { line: 900, value: 'u-48210032,', rule: 'missing-country' },
  ],
  next: null,
};

const nothing = {
  description: null,
  owner: null,
  countries: null,
  state: null,
  size: null,
  rejected: null,
  usedBy: 0,
  excludedBy: 0,
  latestUse: null,
  usedBySaved: 0,
  latestSaved: null,
  createdAt: null,
  revision: null,
  audience: null,
  expiresAt: null,
};
const counted = { exact: true, asOf: '2026-11-22T07:30:00.000Z', countId: null };
const payday = { campaignId: 'cmp_live', name: 'Payday, slowly' };

/** One audience of each kind, the most used first. */
export const named = {
  staff: {
    ...nothing,
    kind: 'segment',
    id: 'staff',
    name: 'staff',
    usedBy: 9,
    excludedBy: 9,
    latestUse: payday,
    size: { ...counted, atLeast: 1840, atMost: 1840, countries: ['SG'] },
    links: { self: null, campaigns: '/v1/campaigns?segment=staff' },
  },
  riders: {
    ...nothing,
    kind: 'saved',
    id: 'sav_riders',
    name: 'Lapsed riders without staff',
    owner: 'growth',
    countries: ['SG', 'VN'],
    revision: savedRiders.revision,
    audience: savedRiders.audience,
    usedBy: 3,
    latestUse: payday,
    createdAt: '2026-11-18T08:00:00.000Z',
    size: { ...counted, exact: false, atLeast: 124_880, atMost: 125_000, countries: ['SG', 'VN'] },
    links: { self: '/v1/audiences/sav_riders', campaigns: '/v1/campaigns?savedAudience=sav_riders' },
  },
  partners: {
    ...nothing,
    kind: 'list',
    id: partners.id,
    name: partners.name,
    owner: 'wallet',
    countries: ['ID', 'VN'],
    state: 'ready',
    rejected: 224,
    usedBy: 2,
    latestUse: payday,
    createdAt: partners.createdAt,
    size: { ...counted, atLeast: 40_818, atMost: 40_818, asOf: partners.readyAt, countries: ['ID', 'VN'] },
    links: { self: partners.links.self, campaigns: '/v1/campaigns?list=aud_partners' },
  },
  cut: {
    ...nothing,
    kind: 'list',
    id: cutList.id,
    name: cutList.name,
    countries: [],
    state: 'failed',
    rejected: 0,
    createdAt: cutList.createdAt,
    links: { self: '/v1/audiences/aud_cut', campaigns: '/v1/campaigns?list=aud_cut' },
  },
  lapsed: {
    ...nothing,
    kind: 'segment',
    id: 'lapsed-riders',
    name: 'Lapsed riders',
    description: 'No ride in 90 days',
    countries: ['SG', 'VN'],
    size: { exact: false, asOf: null, countId: null, atLeast: 125_000, atMost: 125_000, countries: ['SG', 'VN'] },
    links: { self: null, campaigns: '/v1/campaigns?segment=lapsed-riders' },
  },
} satisfies Record<string, ListedAudience>;

/** A list that a test can be sent to. */
export const testers: ListedAudience = {
  ...nothing,
  kind: 'list',
  id: 'aud_testers',
  name: 'Our testers',
  countries: ['ID', 'SG'],
  state: 'ready',
  rejected: 0,
  createdAt: partners.createdAt,
  size: { ...counted, atLeast: 3, atMost: 3, asOf: partners.readyAt, countries: ['ID', 'SG'] },
  links: { self: '/v1/audiences/aud_testers', campaigns: '/v1/campaigns?list=aud_testers' },
};

export const namedList: AudienceList = {
  items: Object.values(named),
  next: null,
  segmentsFrom: 'segmentation',
  unavailable: null,
};

/** Segments that the segmentation service offers. */
export const segments: AudienceList = {
  ...namedList,
  items: [
    { ...named.lapsed, usedBy: 3 },
    { ...named.staff, ...nothing, links: named.staff.links },
  ],
};

/** Saved audiences in the list. */
export const savedList: ListedAudience[] = [
  named.riders,
  {
    ...named.riders,
    id: 'sav_wallets',
    name: savedWallets.name,
    usedBy: 0,
    latestUse: null,
    revision: savedWallets.revision,
    audience: savedWallets.audience,
  },
];

/** Returns a fake answer that lists audiences by the requested kind. */
export function audiencesBy(items: Partial<Record<'list' | 'segment' | 'saved' | 'all', ListedAudience[]>>) {
  return ({ query: { kind = 'all' } }: FakeRequest): AudienceList => ({
    ...namedList,
    items: Object.entries(items).find(([each]) => each === kind)?.[1] ?? [],
  });
}

export const namedCounts: AudienceCounts = {
  all: 5,
  lists: 2,
  segments: 2,
  saved: 1,
  withRejects: 1,
  notUsed: 0,
  failed: 1,
};
