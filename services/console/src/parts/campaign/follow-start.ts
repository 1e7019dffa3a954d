import type { Campaign } from '#client/types.gen.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the user has just started the campaign: its page opens the run once there is one. */
    follow?: boolean;
  }
}

/**
 * Returns the page of the campaign for after its start. If the campaign starts at once, the page leads on to the run.
 */
export function linkAfterStart({ id, schedule }: Pick<Campaign, 'id' | 'schedule'>) {
  return {
    to: '/campaigns/$campaignId',
    params: { campaignId: id },
    state: { follow: schedule.type === 'now' },
  } as const;
}
