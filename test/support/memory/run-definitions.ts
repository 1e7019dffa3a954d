import {
  defaultMinJudgedUsers,
  type CampaignDefinition,
  type Canary,
} from '../../../shared/contracts/campaigns/campaigns.ts';
import type { RunSettings } from '../../../shared/contracts/runs/runs.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import type { RunRow } from './run-tables.ts';

/**
 * Returns the definition of a run. Older revisions are not stored, because no test of the store in memory changes a
 * campaign.
 */
export function definitionOf(
  { campaigns }: MemoryDatabase,
  { campaignId: campaign, revision }: RunKey,
): CampaignDefinition {
  const row = campaigns.get(campaign);
  if (row?.revision !== revision) throw new Error(`campaign ${campaign} has no revision ${revision}`);
  return row.definition;
}

export function hasRevision({ campaigns }: MemoryDatabase, { campaignId, revision }: RunKey): boolean {
  return campaigns.get(campaignId)?.revision === revision;
}

/** Returns the settings of the campaign, with the changes for this run. */
export function settingsOf(database: MemoryDatabase, row: RunRow): RunSettings {
  const { priority, paceUsersPerSecond, pauseAtFailedPercent, pauseAtFailedMinUsers } = definitionOf(database, row);
  const { canary: _, ...changed } = row.settings;
  return {
    priority,
    paceUsersPerSecond: paceUsersPerSecond ?? null,
    pauseAtFailedPercent: pauseAtFailedPercent ?? null,
    pauseAtFailedMinUsers: pauseAtFailedMinUsers ?? defaultMinJudgedUsers,
    ...changed,
  };
}

export function canaryOf(database: MemoryDatabase, row: RunRow): Canary | null {
  return row.settings.canary ?? definitionOf(database, row).canary ?? null;
}

/** Returns true if a person chooses the variant of the feed after the canary. */
export function isRemainingFeed(database: MemoryDatabase, run: RunRow, { canaryUsers }: FeedRow): boolean {
  return canaryUsers === 0 && canaryOf(database, run)?.then === 'choose-variant';
}

export type RunKey = Pick<RunRow, 'campaignId' | 'revision'>;
