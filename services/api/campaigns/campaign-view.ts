import type { CampaignOrigin } from '../../../shared/contracts/campaigns/campaign-origins.ts';
import type { Campaign, CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { approvalSummaryView } from './approvals/approval-view.ts';
import { plannedStartOf } from '../schedules/planned-start.ts';
import type { CampaignRecord } from './campaign-store.port.ts';

export function campaignView(record: CampaignRecord): Campaign {
  const id = publicId('campaign', record.campaignId);
  const self = `/v1/campaigns/${id}`;
  return {
    id,
    revision: record.revision,
    state: record.latestRun?.state ?? stateOf(record),
    ...record.definition,
    ...record.about,
    origin: originView(record.origin),
    createdAt: record.createdAt.toISOString(),
    archivedAt: record.archivedAt?.toISOString() ?? null,
    startsAt: startsAt(record.definition),
    nextRunAt: record.nextRunAt?.toISOString() ?? null,
    scheduleId: record.scheduleId === null ? null : publicId('schedule', record.scheduleId),
    approval: record.approval && approvalSummaryView(record.approval),
    links: {
      self,
      runs: `/v1/runs?campaignId=${id}`,
      start: `${self}/start`,
      latestRun: record.latestRun ? `/v1/runs/${publicId('run', record.latestRun.runId)}` : null,
    },
  };
}

function originView(origin: CampaignOrigin | null): Campaign['origin'] {
  if (origin === null) return null;
  if ('campaignId' in origin) return { ...origin, campaignId: publicId('campaign', origin.campaignId) };
  return { ...origin, templateId: publicId('template', origin.templateId) };
}

function stateOf({ state, approval }: CampaignRecord): Campaign['state'] {
  return state === 'draft' && approval?.state === 'waiting' ? 'in_review' : state;
}

function startsAt(definition: CampaignDefinition): string | null {
  return plannedStartOf(definition)?.toISOString() ?? null;
}
