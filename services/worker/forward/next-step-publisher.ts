import { backoffMs } from '../../../shared/domain/retry.ts';
import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher, OutgoingMessage } from '../../../shared/ports/message-bus.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { nextTopicOf, survivorMessages } from './survivor-messages.ts';
import type { FinishedStep, Work } from '../step/work.ts';

const publishBackoff = { firstDelayMs: 200, maxDelayMs: 1000 };
/**
 * Milliseconds after which the worker leaves unpublished next steps to the sweeper. The steps before are recorded, so
 * they count as handled.
 */
const giveUpMs = 3000;
const outcomeKnown = 'outcome known';

export interface NextStepPublisherDeps {
  publisher: MessagePublisher;
  topics: TopicNames;
  /** Called when steps are handled: they are recorded, and their next steps are published or left to the sweeper. */
  onHandled: (works: readonly Work[]) => void;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  logger: Logger;
}

/**
 * Stage W6 of the worker (docs/execution-path.md): publishes next steps by topic. A topic that cannot be written delays
 * only its own steps, and only for seconds.
 */
export interface NextStepPublisher {
  publish(recorded: readonly FinishedStep[]): void;
  /**
   * Stops retrying. Resolves when all attempts have ended. Steps whose next steps were not published keep their
   * messages, which Kafka then delivers again.
   */
  finish(): Promise<void>;
}

export function createNextStepPublisher(deps: NextStepPublisherDeps): NextStepPublisher {
  const { publisher, topics, onHandled, clock, random, logger } = deps;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  async function publishTo(topic: string, recorded: readonly FinishedStep[]): Promise<void> {
    const messages = survivorMessages(topic, recorded);
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, stopping.signal]);
    // The time limit runs beside the publication, because a publisher may take long to detect that a topic cannot be
    // written.
    const patience = clock.sleep(giveUpMs, signal).then(() => false);
    const published = untilPublished(messages, signal);
    const isOut = (await Promise.race([published, patience])) || (stopping.signal.aborted && (await published));
    // The abort has a reason, because an abort without one creates an exception with a stack trace, which is expensive.
    over.abort(outcomeKnown);
    // The worker stops before the publication. The messages are not acknowledged, so Kafka delivers them to the next
    // worker.
    if (!isOut && stopping.signal.aborted) return;
    if (!isOut)
      logger.warn({ topic, messages: messages.length }, 'next steps cannot be published, left to the sweeper');
    onHandled(recorded.map(({ work }) => work));
  }

  /** Resolves with true when the messages are published, and with false if the signal aborts before. */
  async function untilPublished(messages: readonly OutgoingMessage[], signal: AbortSignal): Promise<boolean> {
    for (let attempt = 1; attempt === 1 || !signal.aborted; attempt++) {
      try {
        await publisher.publish(messages);
        return true;
      } catch (error) {
        logger.debug({ err: error, attempt, messages: messages.length }, 'could not publish next steps');
      }
      await clock.sleep(backoffMs(publishBackoff, attempt, random()), signal);
    }
    return false;
  }

  function track(promise: Promise<void>): void {
    const tracked: Promise<void> = promise.then(() => {
      underWay.delete(tracked);
    });
    underWay.add(tracked);
  }

  return {
    publish: (recorded) => {
      const byTopic = Map.groupBy(recorded, (step) => nextTopicOf(topics, step));
      for (const [topic, steps] of byTopic) {
        if (topic === null) onHandled(steps.map(({ work }) => work));
        else track(publishTo(topic, steps));
      }
    },
    finish: async () => {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}
