import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import type { Shard, TopicNames } from '../../shared/domain/endpoint/shard.ts';
import type { QuietRule } from '../../shared/domain/run/quiet-hours.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { EndpointGuards } from '../../shared/ports/endpoint-guards.ts';
import type { MessageConsumer, MessagePublisher } from '../../shared/ports/message-bus.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { RateShares } from '../../shared/ports/rate-shares.ts';
import type { StepHolds } from '../../shared/ports/step-holds.ts';
import type { FeedContexts } from '../../shared/ports/feed-contexts.ts';
import type { StepLedger } from '../../shared/ports/step-ledger.ts';
import type { Tracing } from '../../shared/ports/tracing.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { BatchEndpoint } from './endpoint/batch-endpoint.port.ts';
import type { UnstartedSteps } from './intake/unstarted-steps.port.ts';

export interface WorkerDeps {
  /** Consumer that is subscribed to the topics of `shards`. */
  consumer: MessageConsumer;
  publisher: MessagePublisher;
  ledger: StepLedger;
  holds: StepHolds;
  guards: EndpointGuards;
  rateShares: RateShares;
  contexts: FeedContexts;
  unstarted: UnstartedSteps;
  endpoint: BatchEndpoint;
  deadLetters: DeadLetters;
  /** Shards at the start, by topic. */
  shards: ReadonlyMap<string, Shard>;
  topics: TopicNames;
  config: Pick<EngineConfig, 'actionTypes'>;
  /** Quiet hours at the start; default: none. */
  quietHours?: readonly QuietRule[];
  /** Duration of a claim in milliseconds. */
  leaseMs: number;
  /** Maximum number of calls in flight, over all action types. */
  concurrency: number;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  logger: Logger;
  meter?: Meter;
  tracing?: Tracing | null | undefined;
}
