import type { Campaign } from '#client/types.gen.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the user has just started the campaign: its page opens the run once there is one. */
    follow?: boolean;
  }
}

/**
 * Returns the page after a start. A campaign that starts at once leads on to its run; any other stays on its own page.
 */
export function afterStart({ id, schedule }: Pick<Campaign, 'id' | 'schedule'>) {
  return {
    to: '/campaigns/$campaignId',
    params: { campaignId: id },
    state: { follow: schedule.type === 'now' },
  } as const;
}
