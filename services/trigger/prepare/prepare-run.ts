import type { LimitFunction } from 'p-limit';
import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import { localStartMs } from '../../../shared/contracts/campaigns/local-starts.ts';
import { estimateOf, type SourcePlace } from '../../../shared/contracts/runs/feed-audience.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import type { UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';
import { canaryShares, type CanarySize, type EstimatesByCountry } from '../../../shared/domain/run/canary.ts';
import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { TopicAdmin, TopicSpec } from '../../../shared/ports/message-bus.ts';
import type { ShardStore } from '../../../shared/ports/registry.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { RegistryReader } from '../../../shared/runtime/installation/registry-reader.ts';
import type { NewFeed, RunStore, RunToPrepare } from '../ports/run-store.ts';
import { notJudged, type ClearedRun, type RunApprovals } from '../ports/run-approvals.ts';
import { holdOutOf, type ResolveDeps } from './resolve-audience.ts';
import { feedsByVariant } from './feeds-by-variant.ts';
import { audienceIn, foundSources, resolvePlaces } from './resolve-places.ts';

export interface PrepareRunDeps extends ResolveDeps {
  runStore: RunStore;
  topicAdmin: TopicAdmin;
  topics: TopicNames;
  shards: ShardStore;
  registry: Pick<RegistryReader, 'refresh'>;
  runApprovals: RunApprovals;
  /** Settings of new topics. An existing topic keeps its number of partitions. */
  topicTerms: Omit<TopicSpec, 'topic'>;
  requestLimit: LimitFunction;
  logger: Logger;
}

/**
 * - `later`: preparing has to be repeated, for a cause that is shown to people.
 * - `ended`: the run has ended, or is paused until it is approved.
 */
export type Prepared =
  { kind: 'begun' } | { kind: 'ended' } | { kind: 'later'; cause: string; retryAfterMs: number } | { kind: 'stopped' };

/** Resolves the sources, creates the topics, and begins the run. Throws on a database error. */
export async function prepareRun(run: RunToPrepare, deps: PrepareRunDeps, signal: AbortSignal): Promise<Prepared> {
  if (run.isRetry) return prepareRetry(run, deps);
  const places = await resolvePlaces(run.definition, deps, signal);
  if (signal.aborted) return { kind: 'stopped' };
  const answers = places.map(({ resolved }) => resolved);
  const missing = answers.find((answer) => answer.kind === 'missing');
  if (missing) {
    await endRun(run, 'failed', missing.reason, deps);
    return { kind: 'ended' };
  }
  const waits = answers.filter((answer) => answer.kind === 'later');
  const [first] = waits;
  if (first) return { kind: 'later', cause: first.cause, retryAfterMs: Math.max(...waits.map((w) => w.retryAfterMs)) };

  const { actionTypes } = await deps.registry.refresh();
  const types = new Map(actionTypes.map((type) => [type.name, type]));
  const called = run.definition.chain.flatMap(({ action, check }) => (check ? [action, check.type] : [action]));
  const unknown = called.find((name) => !types.has(name));
  if (unknown !== undefined) {
    await endRun(run, 'failed', `there is no action type "${unknown}" any more`, deps);
    return { kind: 'ended' };
  }
  const batchUsers = Math.min(...called.map((name) => types.get(name)?.config.batchSize ?? 1));
  const sources = foundSources(places);
  const feeds = run.definition.countries.map((country) => feedOf(country, run, sources));
  if (run.isDry) {
    // A dry run starts at once, and does not pause after a canary: it ends when all users were read.
    const unbounded = feeds.flatMap(({ country, audience }) => feedsByVariant({ country, audience }, run));
    await begin(run, unbounded, { batchUsers, clearedBy: notJudged.clearedBy }, deps);
    return { kind: 'begun' };
  }
  const topicFault = await createTopics(run, deps);
  if (topicFault !== null) return { kind: 'later', cause: topicFault, retryAfterMs: 0 };
  const noPrice = await unpriced(run, deps);
  if (noPrice !== null) return { kind: 'later', cause: noPrice, retryAfterMs: 0 };
  const cleared = await clear(run, () => deps.runApprovals.clear(run.runId, usersOf(feeds)), deps);
  if (!cleared) return { kind: 'ended' };
  const { canary } = run;
  const shares = canary && canaryShares(sizeOf(canary), estimatesOf(feeds));
  const bounded = feeds.flatMap((feed) => {
    const { country } = feed;
    const limits = { usersAtMost: cleared.usersAtMost?.[country], canaryUsers: shares?.[country] };
    return feedsByVariant({ ...feed, ...limits }, run);
  });
  await begin(run, bounded, { batchUsers, clearedBy: cleared.clearedBy }, deps);
  return { kind: 'begun' };
}

async function begin(
  { runId, campaignId, isDry }: RunToPrepare,
  feeds: readonly NewFeed[],
  { batchUsers, clearedBy }: { batchUsers: number; clearedBy: ClearedBy },
  { runStore, logger }: PrepareRunDeps,
): Promise<void> {
  // If false, another trigger has already begun the run.
  if (!(await runStore.begin(runId, feeds, batchUsers, clearedBy))) return;
  logger.info({ runId, campaignId, isDry, feeds: feeds.length }, 'run begun');
}

/** Prepares a retry run. No service is called, because the audience is in the database. */
async function prepareRetry(run: RunToPrepare, deps: PrepareRunDeps): Promise<Prepared> {
  const topicFault = await createTopics(run, deps);
  if (topicFault !== null) return { kind: 'later', cause: topicFault, retryAfterMs: 0 };
  const noPrice = await unpriced(run, deps);
  if (noPrice !== null) return { kind: 'later', cause: noPrice, retryAfterMs: 0 };
  const cleared = await clear(run, () => deps.runApprovals.clearRetry(run.runId), deps);
  if (!cleared) return { kind: 'ended' };
  const users = await deps.runStore.beginRetry(run.runId, cleared);
  if (users === 0) {
    await endRun(run, 'failed', 'nobody is left whose failure could be tried again', deps);
    return { kind: 'ended' };
  }
  if (users !== null)
    deps.logger.info({ runId: run.runId, campaignId: run.campaignId, users }, 'run of failed users begun');
  return { kind: 'begun' };
}

/** Returns a cause if a monetary budget lacks prices, which may have been deleted since the start. */
async function unpriced({ runId, definition }: RunToPrepare, { runStore }: PrepareRunDeps): Promise<string | null> {
  const isInMoney = definition.budgets?.some(({ amount }) => amount !== undefined) ?? false;
  return isInMoney ? runStore.unpriced(runId) : null;
}

/** Returns null if the run now waits for an approval. */
async function clear(
  { runId, campaignId, isJudged }: RunToPrepare,
  judge: () => Promise<ClearedRun | null>,
  { logger }: PrepareRunDeps,
): Promise<ClearedRun | null> {
  if (!isJudged) return notJudged;
  const cleared = await judge();
  if (!cleared) logger.info({ runId, campaignId }, 'run waits for an approval');
  return cleared;
}

/** Returns the estimated users by country. The overlap of several sources is unknown. */
function usersOf(feeds: readonly NewFeed[]): UsersByCountry {
  return Object.fromEntries(
    feeds.map(({ country, audience }) => [
      country,
      audience.include.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0),
    ]),
  );
}

/** Returns the estimated users by country. Null for a country in which a source has no estimate. */
function estimatesOf(feeds: readonly NewFeed[]): EstimatesByCountry {
  return Object.fromEntries(feeds.map(({ country, audience }) => [country, estimateOf(audience)]));
}

function sizeOf({ users, percent = 0 }: Canary): CanarySize {
  return users === undefined ? { percent } : { users };
}

export async function endRun(
  { runId, campaignId }: RunToPrepare,
  state: 'failed' | 'expired',
  reason: string,
  { runStore, logger }: Pick<PrepareRunDeps, 'runStore' | 'logger'>,
): Promise<void> {
  if (await runStore.finish(runId, state, reason)) logger.info({ runId, campaignId, state, reason }, 'run ended');
}

function feedOf(country: string, { definition, campaignId }: RunToPrepare, sources: readonly SourcePlace[]): NewFeed {
  const audience = audienceIn(country, sources, holdOutOf(definition, campaignId));
  return { country, audience, ...startOf(country, definition) };
}

function startOf(country: string, { schedule }: CampaignDefinition): Pick<NewFeed, 'startsAt'> {
  const atMs = schedule.type === 'local' ? localStartMs(schedule, country) : undefined;
  return atMs === undefined ? {} : { startsAt: new Date(atMs) };
}

/** Creates all shards and topics before anything can be published. Returns the cause of a failure, else null. */
async function createTopics(
  { definition }: RunToPrepare,
  { topicAdmin, topics, topicTerms, shards }: PrepareRunDeps,
): Promise<string | null> {
  const actions = [...new Set(definition.chain.map(({ action }) => action))];
  const needed = actions.flatMap((actionType) => definition.countries.map((country) => ({ actionType, country })));
  const alive = await shards.ensure(needed, topicTerms.partitions);
  try {
    await topicAdmin.ensureTopics(
      alive.map((shard) => ({ ...topicTerms, topic: topics.shard(shard), partitions: shard.partitions })),
    );
    return null;
  } catch (error) {
    return `Kafka: the run's topics could not be created: ${error instanceof Error ? error.message : String(error)}`;
  }
}
