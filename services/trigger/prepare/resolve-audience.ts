import type { AudienceEntry, CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { FeedAudience, FeedSource } from '../../../shared/contracts/runs/feed-audience.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';
import type { StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import { segmentationCause } from '../pages/segmentation-cause.ts';

export interface ResolveDeps {
  segmentation: Pick<Segmentation, 'describe'>;
  storedAudiences: Pick<StoredAudiences, 'list' | 'run' | 'countEarlier'>;
}

/** `missing`: the run cannot be carried out at all. `later`: the source has to be requested again. */
export type Resolved =
  | { kind: 'source'; source: FeedSource }
  | { kind: 'missing'; reason: string }
  | { kind: 'later'; cause: string; retryAfterMs: number };

/** Resolves a source of an audience in one country, when its run begins. Throws on a database error. */
export async function resolveSource(
  entry: AudienceEntry,
  country: string,
  deps: ResolveDeps,
  signal: AbortSignal,
): Promise<Resolved> {
  if ('segment' in entry) return resolveSegment(entry.segment, country, deps, signal);
  if ('list' in entry) return resolveList(entry.list, country, deps);
  return resolveRun(entry, country, deps);
}

async function resolveSegment(
  segment: string,
  country: string,
  { segmentation }: ResolveDeps,
  signal: AbortSignal,
): Promise<Resolved> {
  const answer = await segmentation.describe(segment, country, signal);
  if (answer.ok) {
    const { snapshot, estimate } = answer.value;
    return { kind: 'source', source: { segment, snapshot, estimate } };
  }
  const { failure } = answer;
  if (failure.kind === 'not-found') {
    return { kind: 'missing', reason: `there is no segment "${segment}" for ${country}` };
  }
  const cause = segmentationCause({ segment, country }, failure);
  return { kind: 'later', cause, retryAfterMs: failure.retryAfterMs ?? 0 };
}

async function resolveList(id: string, country: string, { storedAudiences }: ResolveDeps): Promise<Resolved> {
  const listId = uuidOf('audience', id);
  const list = listId === undefined ? undefined : await storedAudiences.list(listId, country);
  if (listId === undefined || !list) return { kind: 'missing', reason: `there is no list ${id} any more` };
  return { kind: 'source', source: { listId, estimate: list.users } };
}

type RunEntry = Extract<AudienceEntry, { runId: string }>;

async function resolveRun(
  { runId: id, outcomes, step }: RunEntry,
  country: string,
  { storedAudiences }: ResolveDeps,
): Promise<Resolved> {
  const runId = uuidOf('run', id);
  const run = runId === undefined ? undefined : await storedAudiences.run(runId, country);
  if (runId === undefined || !run) return { kind: 'missing', reason: `there is no run ${id} any more` };
  // A run that has not ended cannot be a source yet, because its users and outcomes still change.
  if (!isTerminal(run.state)) {
    return {
      kind: 'later',
      cause: `the audience names ${publicId('run', runId)}, which has not ended`,
      retryAfterMs: 0,
    };
  }
  if (!run.keepsUsers) return { kind: 'missing', reason: `the users of run ${id} are not kept any more` };
  if (outcomes && !run.keepsFailures) {
    return { kind: 'missing', reason: `which users of run ${id} ended how is not kept any more` };
  }
  const { feedIds, steps } = run;
  const estimate = await storedAudiences.countEarlier(runId, country, { steps, outcomes, step });
  return { kind: 'source', source: { runId, feedIds, steps, outcomes, step, estimate } };
}

/**
 * Returns the hold-out settings. If the definition has no seed, the campaign's id is used, so that all its runs hold
 * out the same users.
 */
export function holdOutOf({ audience }: CampaignDefinition, campaignId: string): FeedAudience['holdOut'] {
  const { holdOutPercent: percent = 0, holdOutSeed } = audience;
  return percent === 0 ? null : { percent, seed: holdOutSeed ?? publicId('campaign', campaignId) };
}
