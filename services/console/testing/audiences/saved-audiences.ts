import type { SavedAudience, AudiencePreview } from '#client/types.gen.ts';

/** A saved audience with two sources and an exclusion, which campaigns use. */
export const savedRiders: SavedAudience = {
  kind: 'saved',
  id: 'sav_riders',
  revision: 2,
  name: 'Lapsed riders without staff',
  owner: 'growth',
  countries: ['SG', 'VN'],
  audience: {
    include: [{ segment: 'lapsed-riders' }, { list: 'aud_partners' }],
    exclude: [{ segment: 'staff' }],
  },
  usedBy: 3,
  latestUse: { campaignId: 'cmp_live', name: 'Payday, slowly', revision: 2, createdAt: '2026-11-20T08:00:00.000Z' },
  createdAt: '2026-11-18T08:00:00.000Z',
  updatedAt: '2026-11-19T08:00:00.000Z',
  links: {
    self: '/v1/audiences/sav_riders',
    campaigns: '/v1/campaigns?savedAudience=sav_riders',
  },
};

export const savedWallets: SavedAudience = {
  ...savedRiders,
  id: 'sav_wallets',
  revision: 1,
  name: 'Idle wallets',
  usedBy: 0,
  latestUse: null,
  audience: { include: [{ segment: 'wallet-idle-90d' }] },
};

export const savedEstimate: AudiencePreview = {
  id: 'sav_riders',
  asOf: '2026-11-22T08:00:00.000Z',
  countries: [
    {
      country: 'SG',
      include: [
        { source: { segment: 'lapsed-riders' }, users: 125_000 },
        { source: { list: 'aud_partners' }, users: 0 },
      ],
      exclude: [{ source: { segment: 'staff' }, users: 120 }],
      users: { atLeast: 124_880, atMost: 125_000 },
    },
  ],
  users: { atLeast: 124_880, atMost: 125_000 },
  holdOutPercent: 0,
  warnings: [],
};
