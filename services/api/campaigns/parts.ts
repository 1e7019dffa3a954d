import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { readUnservedShards } from '../../../shared/postgres/registry/shard-refusals.ts';
import type { BaseParts } from '../frame/parts.ts';
import { createApprovalDesk } from './approvals/postgres/approval-desk.ts';
import { createCampaignCalendar } from './postgres/campaign-calendar.ts';
import { createCampaignLists } from './postgres/campaign-lists.ts';
import { createCampaignStore } from './postgres/campaign-store.ts';

export function createCampaignParts({ pool, quotas }: BaseParts) {
  return {
    campaigns: createCampaignStore({ pool, quotas }),
    campaignLists: createCampaignLists({ pool }),
    campaignCalendar: createCampaignCalendar({ pool }),
    approvals: createApprovalDesk({ pool }),
    unservedShards: (shards: readonly Shard[]) => readUnservedShards(pool, shards),
  };
}

export type {
  CalendarRun,
  CampaignCalendar,
  CampaignsOfTime,
  PlannedRecurrence,
  UsersAtCap,
} from './postgres/campaign-calendar.ts';
export type { CampaignRecord } from './campaign-store.port.ts';
export type {
  CampaignCountsRow,
  CampaignLists,
  CampaignPlace,
  CampaignSearch,
  ListedCampaign,
} from './postgres/campaign-lists.ts';
