import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { earliestStartMs } from '../../../shared/contracts/campaigns/local-starts.ts';
import { dueInstant } from './due-instant.ts';

/**
 * Returns the instant of a schedule; for a local time, the instant in the first country. Returns null for a campaign
 * that starts at once, and for a recurring campaign.
 */
export function plannedStartOf({
  schedule,
  countries,
}: Pick<CampaignDefinition, 'schedule' | 'countries'>): Date | null {
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

/**
 * Returns true if the campaign begins at once. Returns false for a recurring campaign, whose runs are checked when they
 * begin.
 */
export function startsNow(definition: Pick<CampaignDefinition, 'schedule' | 'countries'>, now: Date): boolean {
  const startsAt = plannedStartOf(definition);
  return definition.schedule.type !== 'recurring' && (startsAt === null || startsAt <= now);
}
