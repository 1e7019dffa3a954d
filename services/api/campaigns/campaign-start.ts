import type { Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import { choiceRefusals } from '../../../shared/contracts/campaigns/variants.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Requester } from '../../../shared/domain/run/requester.ts';
import { plannedStartOf, startsNow } from '../schedules/planned-start.ts';
import { invalidRequest, stateForbids } from '../frame/http-problem.ts';
import { checkChoice } from './check-variants.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';

/**
 * Schedules a draft for now or for the time of its schedule. A time that has passed, by the database's clock, means
 * now.
 */
export function startCampaign(
  campaigns: CampaignStore,
  { campaignId, definition }: CampaignRecord,
  { now, clearedBy, asker, canary }: { now: Date; clearedBy: ClearedBy; asker: Requester; canary: Canary | null },
): Promise<CampaignRecord | undefined> {
  const { schedule } = definition;
  if (schedule.type === 'recurring') {
    const { type: _, ...recurrence } = schedule;
    return campaigns.startRecurring(campaignId, recurrence, clearedBy);
  }
  const startsAt = plannedStartOf(definition);
  if (startsAt === null && schedule.type !== 'now') throw new Error('a stored campaign has no due time');
  const dueAt = startsAt !== null && startsAt > now ? startsAt : null;
  return campaigns.start(campaignId, dueAt, clearedBy, asker, canary);
}

export const canaryRefusals = {
  'canary-in-definition': 'the start has a canary, and so does the definition',
  'starts-later': 'the start has a canary, and the run does not begin at once',
  ...choiceRefusals,
};

/**
 * Checks a start that sets a canary. It is refused if the definition has a canary, because approvals cover that canary.
 * It is also refused if the run begins later, because people must then see the canary in the definition.
 * @throws {HttpProblem} 409 if the campaign is already started, 422 if its definition or schedule forbids the canary
 */
export function requireCanaryAtStart(
  canary: Canary,
  { campaignId, state, definition }: CampaignRecord,
  now: Date,
): void {
  const id = publicId('campaign', campaignId);
  if (state !== 'draft') throw stateForbids(`${id} is already started, and this start does not change its canary`);
  const refuse = (code: keyof typeof canaryRefusals, detail: string) =>
    invalidRequest([{ pointer: '/canary', code, detail }]);
  if (definition.canary !== undefined)
    throw refuse('canary-in-definition', `the definition of ${id} has a canary: change it there, or start without one`);
  if (!startsNow(definition, now))
    throw refuse('starts-later', `the run of ${id} does not begin at once: set the canary in its definition`);
  const problems = checkChoice(canary, definition.chain);
  if (problems.length > 0) throw invalidRequest(problems);
}
