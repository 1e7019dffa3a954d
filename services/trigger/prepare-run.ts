import pLimit, { type LimitFunction } from 'p-limit';
import type { SegmentDescription } from '../../shared/contracts/segmentation.ts';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { TopicAdmin, TopicSpec } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
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
  /** What a topic that has to be created is like. */
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
  if (run.isRetry) return prepareRetry(run, deps);
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

  const topicFault = await createTopics(run, deps);
  if (topicFault !== null) return { kind: 'later', cause: topicFault, retryAfterMs: 0 };
  const feeds = described.flatMap(feedOf);
  // False when another trigger was first.
  if (await deps.runStore.begin(run.runId, feeds)) {
    deps.logger.info({ runId: run.runId, campaignId: run.campaignId, feeds: feeds.length }, 'run begun');
  }
  return { kind: 'begun' };
}

/** Its audience is in our own database: nobody has to be asked. */
async function prepareRetry(run: RunToPrepare, deps: PrepareRunDeps): Promise<Prepared> {
  const topicFault = await createTopics(run, deps);
  if (topicFault !== null) return { kind: 'later', cause: topicFault, retryAfterMs: 0 };
  const users = await deps.runStore.beginRetry(run.runId);
  if (users === 0) {
    await endRun(run, 'failed', 'nobody is left whose failure could be tried again', deps);
    return { kind: 'ended' };
  }
  if (users !== null)
    deps.logger.info({ runId: run.runId, campaignId: run.campaignId, users }, 'run of failed users begun');
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

/** The topics of every step in every country, before anything can be published to them. What went wrong comes back. */
async function createTopics(
  { definition }: RunToPrepare,
  { topicAdmin, topics, topicTerms }: PrepareRunDeps,
): Promise<string | null> {
  const names = definition.chain.flatMap(({ action }) =>
    definition.countries.map((country) => topics.shard({ actionType: action, country })),
  );
  try {
    await topicAdmin.ensureTopics([...new Set(names)].map((topic) => ({ topic, ...topicTerms })));
    return null;
  } catch (error) {
    return `Kafka: the run's topics could not be created: ${error instanceof Error ? error.message : String(error)}`;
  }
}
