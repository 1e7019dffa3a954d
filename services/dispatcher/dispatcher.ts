import type { CallDurations, NodeCredit, EndpointCalls } from '../../shared/ports/job-nodes.ts';
import type { MessageConsumer } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import type { Wake } from '../../shared/runtime/wake.ts';
import type { CallCounts } from './call-counts.ts';
import { creditOf, mayQueue } from './credit.ts';
import { afterErrorMs, createDispatcherTurn, type DispatcherTurnDeps } from './dispatcher-turn.ts';
import type { JobServer } from './job-server.ts';
import type { ReceivedReference } from './jobs/received-reference.ts';
import type { CircuitKeeper } from './keep-circuits.ts';
import type { KeyTurns } from './key-turns.ts';
import { endpointCallsOf } from './endpoint-calls.ts';
import { createReferenceReceiver } from './reference-receiver.ts';
import type { ClientSlots } from './slots/client-slots.ts';

/**
 * Minimum time in milliseconds between flushes under load. Each flush writes the results and claims that came in since
 * the last one. With 15 ms instead of 8 ms, measurements showed more lag and no benefit.
 */
const minBetweenFlushesMs = 8;
/**
 * Number of failed writes after which a stopping dispatcher gives up writing results. The results of these calls are
 * then unknown, and other dispatchers repeat the calls when the leases expire.
 */
const lastTries = 20;

export interface Dispatcher extends Service {
  /**
   * Resolves when the dispatcher has joined its Kafka consumer group. If the dispatcher must first wait for slots from
   * other dispatchers, it resolves earlier.
   */
  start(): Promise<void>;
  levels(): { queued: number; waiting: number; inFlight: number };
  /**
   * Number of references received since the start. `handled` counts references whose jobs were claimed, or found not to
   * be claimable.
   */
  readonly received: number;
  readonly handled: number;
  /** Sets the listener for changes of `received` and `handled`. The listener must return at once. */
  onWork(listener: () => void): void;
  /** Returns the credit that schedulers have here; null if the dispatcher accepts no more jobs. */
  credit(): NodeCredit | null;
  /**
   * Returns the counts of calls by endpoint of a client, for endpoints with work on this dispatcher now or in the last
   * minute.
   */
  calls(): Record<string, EndpointCalls>;
  /** Returns the durations of the calls of the last ten minutes, by endpoint. */
  durations(): CallDurations;
  beaten(): void;
}

export interface DispatcherParts extends Omit<DispatcherTurnDeps, 'isTakingIn' | 'onHandled'> {
  consumer: MessageConsumer;
  counts: CallCounts;
  slots: ClientSlots;
  keeper: CircuitKeeper;
  server: JobServer;
  keyTurns: KeyTurns;
  levels: Dispatcher['levels'];
  wake: Wake;
  logger: Logger;
}

export function createDispatcherFromParts(parts: DispatcherParts): Dispatcher {
  const { consumer, bounds, letters, held, counts, claimWatch } = parts;
  const { slots, queues, keeper, server, keyTurns, meter, levels, wake, clock, logger } = parts;
  let [received, handled] = [0, 0];
  let [isTakingIn, isStopping] = [false, false];
  let onWork: () => void = () => undefined;

  const concurrencyOf = (clientId: string) => slots.of(clientId);
  const receiver = createReferenceReceiver({
    letters,
    isKnown: (clientId) => bounds.isKnown(clientId),
    onReferences: receive,
    onSettled: (message) => consumer.settle(message),
    queued: () => queues.queued,
  });
  const turn = createDispatcherTurn({
    ...parts,
    isTakingIn: () => isTakingIn,
    onHandled: (references) => {
      handled += references;
      if (references > 0) onWork();
    },
  });
  const loop = createLoop({
    name: 'dispatcher',
    turn,
    minBetweenMs: minBetweenFlushesMs,
    afterErrorMs,
    clock,
    logger,
  });
  wake.connect(loop);

  function receive(references: readonly ReceivedReference[]): void {
    received += references.length;
    for (const reference of references) {
      if (held.has(reference)) continue;
      if (mayQueue(queues, reference.clientId)) queues.add(reference);
      else meter.refused();
    }
    slots.poke();
    loop.poke();
    onWork();
  }

  async function finishWork(): Promise<void> {
    await keeper.stop();
    for (let tries = 0; server.underWay + held.unwritten > 0 && tries < lastTries;) {
      let pauseMs = minBetweenFlushesMs;
      const written = await held.flush([], parts.leaseMs).catch((error: unknown) => {
        tries++;
        pauseMs = afterErrorMs;
        logger.warn({ err: error }, 'could not write what became of jobs, trying again');
      });
      if (written) keyTurns.written(written.calls);
      if (server.underWay + held.unwritten > 0) await clock.sleep(pauseMs);
    }
    await keyTurns.stop();
    await slots.stop();
    await consumer.stop();
  }

  async function join(): Promise<void> {
    if (isStopping) return;
    isTakingIn = true;
    keeper.start();
    keyTurns.start();
    loop.start();
    await consumer.start(receiver);
  }

  const failed = Promise.withResolvers<Error>();
  let joining: Promise<void> | undefined;
  let finishing: Promise<void> | undefined;
  return {
    start: async () => {
      await slots.start();
      joining = slots.settled().then(join);
      // While other dispatchers run, this one takes seconds to join. Until then, it is not ready, but it can be
      // stopped.
      if (slots.isSettled()) await joining;
      else joining.catch((error: unknown) => failed.resolve(error instanceof Error ? error : new Error(String(error))));
    },
    ready: () => isTakingIn && consumer.ready().ok,
    levels,
    get received() {
      return received;
    },
    get handled() {
      return handled;
    },
    onWork: (listener) => {
      onWork = listener;
    },
    credit: () => (isTakingIn ? creditOf({ queues, concurrencyOf }) : null),
    calls: () => endpointCallsOf({ queues, counts, slotsOf: concurrencyOf }),
    durations: () => counts.durations(),
    beaten: () => claimWatch.beaten(),
    stopIntake: async () => {
      [isTakingIn, isStopping] = [false, true];
      consumer.stopIntake();
      receiver.stop();
      slots.giveUp();
      await joining?.catch(() => undefined);
      held.releaseAll(queues.clear());
      await loop.stop();
      queues.clear();
    },
    finishWork: () => (finishing ??= finishWork()),
    close: () => Promise.resolve(),
    broken: Promise.race([consumer.crashed, failed.promise, claimWatch.stuck]),
  };
}
