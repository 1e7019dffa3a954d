import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { MessageConsumer, TopicSpec } from '../../../shared/ports/message-bus.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { Served } from './served-shards.ts';

export interface ServingDeps {
  /** Shards by topic. */
  shards: ReadonlyMap<string, Shard>;
  actionTypes: Readonly<Record<string, ActionTypeConfig>>;
  consumer: MessageConsumer;
  logger: Logger;
}

/**
 * Shards and action types that the worker serves. Both collections change in place, so that every part that has a
 * reference to them uses the current state.
 */
export interface Serving {
  readonly shards: ReadonlyMap<string, Shard>;
  readonly actionTypes: Readonly<Record<string, ActionTypeConfig>>;
  /**
   * Serves these shards and action types from now on. The worker serves a new shard when the consumer group has
   * assigned its partitions.
   * @returns false after `stop` was called
   */
  follow(served: Served): boolean;
  /** Makes later changes have no effect. */
  stop(): void;
}

export function createServing({ consumer, logger, ...initial }: ServingDeps): Serving {
  const shards = new Map(initial.shards);
  const actionTypes: Record<string, ActionTypeConfig> = { ...initial.actionTypes };
  let consumed = '';
  let wanted: TopicSpec[] = [];
  let subscribing: Promise<void> | undefined;
  const stopping = new AbortController();
  const stopped = () => stopping.signal.aborted;

  function replace({ shards: nextShards, actionTypes: nextTypes }: Served): void {
    for (const topic of shards.keys()) if (!nextShards.has(topic)) shards.delete(topic);
    for (const [topic, shard] of nextShards) shards.set(topic, shard);
    for (const name of Object.keys(actionTypes)) if (!(name in nextTypes)) Reflect.deleteProperty(actionTypes, name);
    Object.assign(actionTypes, nextTypes);
  }

  /**
   * Subscribes to the newest topics. Only one subscription runs at a time, because each of them makes the consumer
   * group assign partitions again.
   */
  async function subscribe(): Promise<void> {
    while (!stopped() && consumed !== signatureOf(wanted)) {
      const specs = wanted;
      consumed = signatureOf(specs);
      try {
        await consumer.subscribe(specs);
        logger.info({ topics: specs.length }, 'serves the shards of the registry as they are now');
      } catch (error) {
        if (!stopped()) logger.warn({ err: error, topics: specs.length }, 'could not subscribe to the shards');
      }
    }
  }

  return {
    shards,
    actionTypes,
    follow: (served) => {
      if (stopped()) return false;
      replace(served);
      wanted = served.topics;
      subscribing ??= subscribe().finally(() => (subscribing = undefined));
      return true;
    },
    stop: () => stopping.abort(),
  };
}

function signatureOf(specs: readonly TopicSpec[]): string {
  return specs
    .map(({ topic, partitions }) => `${topic}=${partitions}`)
    .sort()
    .join();
}
