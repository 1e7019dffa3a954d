import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import type { Shard, TopicNames } from '../../shared/domain/shard.ts';
import type { BatchEndpoint } from './ports/batch-endpoint.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { MessageConsumer, MessagePublisher } from '../../shared/ports/message-bus.ts';
import type { FeedContexts, StepLedger, StepResult } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Service } from '../../shared/runtime/service.ts';
import { createCallSlots } from './call-slots.ts';
import { createFeedDirectory } from './feed-directory.ts';
import { createStepFlusher } from './step-flusher.ts';
import { prepareWork, type Claimed } from './prepare-work.ts';
import { processBatch } from './process-batch.ts';
import { createMessageReceiver } from './message-receiver.ts';
import { resultOf, releasedResult } from './step-result.ts';
import { createRequestBodies } from './request-body.ts';
import { createStepQueue } from './step-queue.ts';
import type { QueuedStep, Work } from './work.ts';

export interface WorkerDeps {
  /** Subscribed to the topics of `shards`. */
  consumer: MessageConsumer;
  publisher: MessagePublisher;
  ledger: StepLedger;
  contexts: FeedContexts;
  endpoint: BatchEndpoint;
  deadLetters: DeadLetters;
  /** By topic. */
  shards: ReadonlyMap<string, Shard>;
  topics: TopicNames;
  config: EngineConfig;
  /** As the ledger claims. */
  leaseMs: number;
  /** Calls in flight over all action types. */
  concurrency: number;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  logger: Logger;
}

/** Does single steps of batches: claims them, calls their endpoints, records, and sends the survivors on. */
export interface Worker extends Service {
  /** Resolves when the group has been joined. */
  start(): Promise<void>;
}

export function createWorker(deps: WorkerDeps): Worker {
  const { consumer, ledger, config, clock, random, logger, leaseMs } = deps;
  const queue = createStepQueue();
  const directory = createFeedDirectory({ contexts: deps.contexts, clock, logger });
  const actionTypes = [...new Set([...deps.shards.values()].map(({ actionType }) => actionType))];
  const batch = { directory, endpoint: deps.endpoint, bodyOf: createRequestBodies(), leaseMs, clock, random, logger };
  let isTakingIn = false;

  const receiver = createMessageReceiver({
    ...deps,
    queue,
    settle: (record) => consumer.settle(record),
    arrived: () => flushes.poke(),
  });
  const slots = createCallSlots({
    actionTypes: config.actionTypes,
    concurrency: deps.concurrency,
    leaseMs,
    serve: async (work) => flushes.record(work, await processBatch(work, batch).catch(brokenCall(work))),
    release,
    monotonicMs: () => clock.monotonicMs(),
  });
  const flushes = createStepFlusher({
    ...deps,
    claims: nextClaims,
    putBack: (steps) => queue.putBack(steps),
    claimed: beginWork,
    settle: ({ record }) => consumer.settle(record),
  });

  /** As many as there is room for, in turn over the action types; of steps whose feed exists. */
  async function nextClaims(max: number): Promise<QueuedStep[]> {
    const steps: QueuedStep[] = [];
    const room = new Map(actionTypes.map((actionType) => [actionType, slots.room(actionType)]));
    // First equal shares, so that a full shard leaves room for the others; then what nobody else wants.
    for (const share of [Math.ceil(max / actionTypes.length), max]) {
      for (const [actionType, left] of room) {
        const taken = queue.take(actionType, Math.min(share, left, max - steps.length));
        room.set(actionType, left - taken.length);
        steps.push(...taken);
      }
    }
    try {
      await directory.learn(steps.map(({ feedId }) => feedId));
    } catch (error) {
      queue.putBack(steps);
      throw error;
    }
    return steps.filter(isServable);
  }

  function isServable(queued: QueuedStep): boolean {
    const action = directory.contextOf(queued.feedId)?.chain[queued.step - 1]?.action;
    if (action === queued.actionType) return true;
    // All references of a record have the same feed and step: it is dead-lettered once, whole.
    if (queued.origin.open === 0) return false;
    queued.origin.open = 0;
    void receiver.deadLetter(
      queued.origin.record,
      action ? 'its step belongs to another shard' : 'its feed has no such step',
    );
    return false;
  }

  async function beginWork(claimed: readonly Claimed[], claimedAtMs: number): Promise<void> {
    if (claimed.length === 0) return;
    const { actionTypes: types } = config;
    const prepared = await prepareWork(claimed, claimedAtMs, { actionTypes: types, directory, ledger, logger });
    slots.add(prepared.works);
    release(prepared.unreadable);
  }

  /** A bug on our side. The call may have been made, so it counts as an attempt, and the step cannot loop for ever. */
  function brokenCall(work: Work): (error: unknown) => StepResult {
    return (error) => {
      logger.error({ err: error, feedId: work.claim.feedId, batchNo: work.claim.batchNo }, 'could not serve a step');
      return resultOf(work, { kind: 'ambiguous', cause: 'the worker could not serve it' }, random());
    };
  }

  function release(works: readonly Work[]): void {
    for (const work of works) flushes.record(work, releasedResult(work));
  }

  return {
    start: async () => {
      flushes.start();
      await consumer.start(receiver);
      isTakingIn = true;
    },
    ready: () => isTakingIn,
    stopIntake: () => {
      isTakingIn = false;
      consumer.stopIntake();
      receiver.stop();
      queue.clear();
      return Promise.resolve();
    },
    finishWork: async () => {
      slots.close();
      await slots.idle();
      await flushes.finish();
    },
    close: () => consumer.stop(),
    broken: consumer.crashed,
  };
}
