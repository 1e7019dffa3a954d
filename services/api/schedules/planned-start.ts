import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { earliestStartMs } from '../../../shared/contracts/campaigns/local-starts.ts';
import { dueInstant } from './due-instant.ts';

/**
 * Returns the instant of a schedule; for a local time, that of the first country. Null: as soon as the campaign is
 * started, or each time that it recurs.
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

/** Returns true if the campaign begins at once. Runs of a recurring campaign are judged when they begin. */
export function startsNow(definition: Pick<CampaignDefinition, 'schedule' | 'countries'>, now: Date): boolean {
  const startsAt = plannedStartOf(definition);
  return definition.schedule.type !== 'recurring' && (startsAt === null || startsAt <= now);
}
