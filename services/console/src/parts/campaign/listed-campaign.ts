import type { LinkProps } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import type { DisplayState } from '../standing/state-looks.ts';

/**
 * Returns the page of a campaign: its run while the run has not ended, then the report. A draft, or a campaign without
 * a run, has its own page.
 */
export function campaignLink({ id, standing, run }: ListedCampaign): Pick<LinkProps, 'to' | 'params'> {
  if (!run || standing === 'draft') return { to: '/campaigns/$campaignId', params: { campaignId: id } };
  if (run.endedAt !== null) return { to: '/runs/$runId/report', params: { runId: run.runId } };
  return { to: '/runs/$runId', params: { runId: run.runId } };
}

/**
 * Returns the state of the run if one is under way or has ended. A campaign that waits for its next run is scheduled,
 * whatever the state of its last run.
 */
export function displayStateOf({ standing, state, run }: ListedCampaign): DisplayState {
  if (standing === 'scheduled' || standing === 'draft') return standing;
  return run?.state ?? state;
}
