import type { Campaign, CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import { publicId } from '../../../shared/domain/ids.ts';
import { dueInstant } from '../due-instant.ts';
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
    startsAt: startsAt(record.definition),
    nextRunAt: record.nextRunAt?.toISOString() ?? null,
    links: {
      self,
      runs: `/v1/runs?campaignId=${id}`,
      start: `${self}/start`,
      latestRun: record.latestRun ? `/v1/runs/${publicId('run', record.latestRun.runId)}` : null,
    },
  };
}

function startsAt({ schedule }: CampaignDefinition): string | null {
  if (schedule.type === 'now') return null;
  const due = dueInstant(schedule);
  return due.ok ? due.dueAt.toISOString() : null;
}
