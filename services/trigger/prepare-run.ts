import pLimit, { type LimitFunction } from 'p-limit';
import type { SegmentDescription } from '../../shared/contracts/segmentation.ts';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { TopicAdmin, TopicSpec } from '../../shared/ports/message-bus.ts';
import type { ShardStore } from '../../shared/ports/registry.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { RegistryReader } from '../../shared/runtime/registry-reader.ts';
import type { NewFeed, RunStore, RunToPrepare } from './ports/run-store.ts';
import type { Segmentation, SegmentationAnswer } from './ports/segmentation.ts';
import { segmentationCause } from './segmentation-cause.ts';

/** Questions of one run in flight, once its first one was answered: one that hangs holds one place. */
const maxQuestionsPerRun = 8;

export interface PrepareRunDeps {
  runStore: RunStore;
  segmentation: Segmentation;
  topicAdmin: TopicAdmin;
  topics: TopicNames;
  shards: ShardStore;
  registry: Pick<RegistryReader, 'refresh'>;
  /** What a new shard's topic is like; one that is there has its own number of partitions. */
  topicTerms: Omit<TopicSpec, 'topic'>;
  /** Questions of all runs in flight. */
  questions: LimitFunction;
  logger: Logger;
}

/** `later`: it has to be tried again, for a cause that people are shown. */
export type Prepared =
  { kind: 'begun' } | { kind: 'ended' } | { kind: 'later'; cause: string; retryAfterMs: number } | { kind: 'stopped' };

/** Asks for the segments of a run, creates the topics that it needs, and begins it. Throws when the database does not answer. */
export async function prepareRun(run: RunToPrepare, deps: PrepareRunDeps, signal: AbortSignal): Promise<Prepared> {
  const described = await describeAll(run, deps, signal);
  if (signal.aborted) return { kind: 'stopped' };
  const missing = described.find(({ answer }) => !answer.ok && answer.failure.kind === 'not-found');
  if (missing) {
    await endRun(run, 'failed', `there is no segment "${missing.segment}" for ${missing.country}`, deps);
    return { kind: 'ended' };
  }
  const waits = described.flatMap(waitOf);
  const [first] = waits;
  if (first) return { kind: 'later', cause: first.cause, retryAfterMs: Math.max(...waits.map((w) => w.retryAfterMs)) };

  const { actionTypes } = await deps.registry.refresh();
  const types = new Map(actionTypes.map((type) => [type.name, type]));
  const unknown = run.definition.chain.find(({ action }) => !types.has(action));
  if (unknown) {
    await endRun(run, 'failed', `there is no action type "${unknown.action}" any more`, deps);
    return { kind: 'ended' };
  }
  const topicFault = await createTopics(run, deps);
  if (topicFault !== null) return { kind: 'later', cause: topicFault, retryAfterMs: 0 };
  const batchUsers = Math.min(...run.definition.chain.map(({ action }) => types.get(action)?.config.batchSize ?? 1));
  const feeds = described.flatMap(feedOf);
  // False when another trigger was first.
  if (await deps.runStore.begin(run.runId, feeds, batchUsers)) {
    deps.logger.info({ runId: run.runId, campaignId: run.campaignId, feeds: feeds.length }, 'run begun');
  }
  return { kind: 'begun' };
}

export async function endRun(
  { runId, campaignId }: RunToPrepare,
  state: 'failed' | 'expired',
  reason: string,
  { runStore, logger }: Pick<PrepareRunDeps, 'runStore' | 'logger'>,
): Promise<void> {
  if (await runStore.finish(runId, state, reason)) logger.info({ runId, campaignId, state, reason }, 'run ended');
}

interface Described {
  segment: string;
  country: string;
  answer: SegmentationAnswer<SegmentDescription>;
}

async function describeAll(
  { definition }: RunToPrepare,
  { segmentation, questions }: PrepareRunDeps,
  signal: AbortSignal,
): Promise<Described[]> {
  const ask = async ({ segment, country }: { segment: string; country: string }): Promise<Described> => {
    const answer = await questions(() => segmentation.describe(segment, country, signal));
    return { segment, country, answer };
  };
  const [first, ...others] = definition.audience.include.flatMap(({ segment }) =>
    definition.countries.map((country) => ({ segment, country })),
  );
  if (!first) return [];
  const described = await ask(first);
  if (!described.answer.ok) return [described];
  return [described, ...(await pLimit(maxQuestionsPerRun).map(others, ask))];
}

function waitOf({ segment, country, answer }: Described): { cause: string; retryAfterMs: number }[] {
  if (answer.ok) return [];
  const { failure } = answer;
  return [{ cause: segmentationCause({ segment, country }, failure), retryAfterMs: failure.retryAfterMs ?? 0 }];
}

function feedOf({ segment, country, answer }: Described): NewFeed[] {
  if (!answer.ok) return [];
  const { snapshot, estimate } = answer.value;
  return [{ country, segment, snapshot, estimate }];
}

/** The shards of every step in every country come to life, with their topics, before anything can be published. What went wrong comes back. */
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
