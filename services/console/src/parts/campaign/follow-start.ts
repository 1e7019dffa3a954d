import type { Campaign } from '#client/types.gen.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The campaign was started a moment ago: its page leads on to the run as soon as there is one. */
    follow?: boolean;
  }
}

/** Where a person stands who has started a campaign: what starts at once is watched, what starts later is seen. */
export function afterStart({ id, schedule }: Pick<Campaign, 'id' | 'schedule'>) {
  return {
    to: '/campaigns/$campaignId',
    params: { campaignId: id },
    state: { follow: schedule.type === 'now' },
  } as const;
}
