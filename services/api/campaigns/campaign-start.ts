import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import { earliestStartMs } from '../../../shared/contracts/campaigns/local-starts.ts';
import type { Asker } from '../../../shared/domain/run/asker.ts';
import { dueInstant } from '../schedules/due-instant.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';

/**
 * Returns the instant of a schedule; for a local time, that of the first country. Null: as soon as the campaign is
 * started, or each time that it recurs.
 */
export function startOf({ schedule, countries }: Pick<CampaignDefinition, 'schedule' | 'countries'>): Date | null {
  switch (schedule.type) {
    case 'now':
    case 'recurring':
      return null;
    case 'at': {
      const due = dueInstant(schedule);
      return due.ok ? due.dueAt : null;
    }
    case 'local': {
      const atMs = earliestStartMs(schedule, countries);
      return atMs === undefined ? null : new Date(atMs);
    }
  }
}

/** Returns true if the campaign begins at once. Runs of a recurring campaign are judged when they begin. */
export function startsNow(definition: Pick<CampaignDefinition, 'schedule' | 'countries'>, now: Date): boolean {
  const startsAt = startOf(definition);
  return definition.schedule.type !== 'recurring' && (startsAt === null || startsAt <= now);
}

/** Schedules a draft, now or at the time of its schedule. A time that has passed means now, by the store's clock. */
export function startCampaign(
  campaigns: CampaignStore,
  { campaignId, definition }: CampaignRecord,
  { now, clearedBy, asker }: { now: Date; clearedBy: ClearedBy; asker: Asker },
): Promise<CampaignRecord | undefined> {
  const { schedule } = definition;
  if (schedule.type === 'recurring') {
    const { type: _, ...recurrence } = schedule;
    return campaigns.startRecurring(campaignId, recurrence, clearedBy);
  }
  const startsAt = startOf(definition);
  if (startsAt === null && schedule.type !== 'now') throw new Error('a stored campaign has no due time');
  return campaigns.start(campaignId, startsAt !== null && startsAt > now ? startsAt : null, clearedBy, asker);
}
