import type { ListTemplatesResponse } from '#client/types.gen.ts';

/** A template with two parameters: the segment and the reward. */
export const templates: ListTemplatesResponse = {
  items: [
    {
      id: 'tpl_payday',
      revision: 3,
      name: 'Payday',
      variables: {
        segment: { type: 'segment', description: 'Who gets it' },
        units: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
        reward: { type: 'string', enum: ['ride-5', 'ride-9'] },
      },
      campaign: {
        countries: ['SG'],
        audience: { include: [{ segment: { $variable: 'segment' } }] },
        chain: [
          { action: 'award-reward', params: { rewardId: { $variable: 'reward' }, units: { $variable: 'units' } } },
        ],
      },
      createdAt: '2026-11-20T08:00:00.000Z',
      updatedAt: '2026-11-21T08:00:00.000Z',
      links: { self: '/v1/templates/tpl_payday', campaigns: '/v1/templates/tpl_payday/campaigns' },
    },
  ],
  next: null,
};
