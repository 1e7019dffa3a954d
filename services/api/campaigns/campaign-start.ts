import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import { earliestStartMs } from '../../../shared/contracts/campaigns/local-starts.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Asker } from '../../../shared/domain/run/asker.ts';
import { dueInstant } from '../schedules/due-instant.ts';
import { invalidRequest, stateForbids } from '../frame/http-problem.ts';
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
  { now, clearedBy, asker, canary }: { now: Date; clearedBy: ClearedBy; asker: Asker; canary: Canary | null },
): Promise<CampaignRecord | undefined> {
  const { schedule } = definition;
  if (schedule.type === 'recurring') {
    const { type: _, ...recurrence } = schedule;
    return campaigns.startRecurring(campaignId, recurrence, clearedBy);
  }
  const startsAt = startOf(definition);
  if (startsAt === null && schedule.type !== 'now') throw new Error('a stored campaign has no due time');
  const dueAt = startsAt !== null && startsAt > now ? startsAt : null;
  return campaigns.start(campaignId, dueAt, clearedBy, asker, canary);
}

export const canaryRefusals = {
  'canary-in-definition': 'a canary is given at the start, and the definition has one',
  'starts-later': 'a canary is given at the start, and the run does not begin at once',
};

/**
 * Checks a start with a canary of its own. A canary of the definition was approved with it, and no start weakens it.
 * The canary of a run that begins later belongs to the definition, where people see it until then.
 * @throws {HttpProblem} 409 if the campaign is started already, 422 if its definition or schedule forbids the canary
 */
export function requireCanaryAtStart({ campaignId, state, definition }: CampaignRecord, now: Date): void {
  const id = publicId('campaign', campaignId);
  if (state !== 'draft') throw stateForbids(`${id} is started already, and this start changes nothing of its canary`);
  const refuse = (code: keyof typeof canaryRefusals, detail: string) =>
    invalidRequest([{ pointer: '/canary', code, detail }]);
  if (definition.canary !== undefined)
    throw refuse(
      'canary-in-definition',
      `the definition of ${id} has a canary: change it there, or start without this`,
    );
  if (!startsNow(definition, now))
    throw refuse('starts-later', `the run of ${id} does not begin at once: give its definition the canary`);
}
