import type { LinkProps } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import type { ShownState } from '../standing/state-looks.ts';

/** To its run while that goes on, to the report behind it, and to what can still be changed before. */
export function campaignLink({ id, standing, run }: ListedCampaign): Pick<LinkProps, 'to' | 'params'> {
  if (!run || standing === 'draft') return { to: '/campaigns/$campaignId', params: { campaignId: id } };
  if (run.endedAt !== null) return { to: '/runs/$runId/report', params: { runId: run.runId } };
  return { to: '/runs/$runId', params: { runId: run.runId } };
}

/**
 * Its run's state while one goes on or has ended; a campaign that waits for its next run is scheduled, whatever came of
 * the last.
 */
export function shownState({ standing, state, run }: ListedCampaign): ShownState {
  if (standing === 'scheduled' || standing === 'draft') return standing;
  return run?.state ?? state;
}
