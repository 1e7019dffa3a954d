import type { Campaign } from '../../../shared/contracts/campaigns.ts';
import { publicId } from '../../../shared/domain/ids.ts';
import type { CampaignRecord } from '../ports/campaign-store.ts';

export function campaignView(record: CampaignRecord): Campaign {
  const id = publicId('campaign', record.campaignId);
  const self = `/v1/campaigns/${id}`;
  return {
    id,
    revision: record.revision,
    state: record.latestRun?.state ?? record.state,
    ...record.definition,
    createdAt: record.createdAt.toISOString(),
    nextRunAt: record.nextRunAt?.toISOString() ?? null,
    links: {
      self,
      runs: `/v1/runs?campaignId=${id}`,
      start: `${self}/start`,
      latestRun: record.latestRun ? `/v1/runs/${publicId('run', record.latestRun.runId)}` : null,
    },
  };
}
