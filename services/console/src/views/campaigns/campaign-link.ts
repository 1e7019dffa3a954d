import type { LinkProps } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';

/** To its run while that goes on, to the report behind it, and to what can still be changed before. */
export function campaignLink({ id, standing, run }: ListedCampaign): Pick<LinkProps, 'to' | 'params'> {
  if (!run || standing === 'draft') return { to: '/campaigns/$campaignId', params: { campaignId: id } };
  if (run.endedAt !== null) return { to: '/runs/$runId/report', params: { runId: run.runId } };
  return { to: '/runs/$runId', params: { runId: run.runId } };
}
