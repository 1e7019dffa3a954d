import { createLetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { createWake } from '../../shared/runtime/wake.ts';
import { createCallCounts } from './call-counts.ts';
import { createClaimWatch } from './claim-watch.ts';
import { createClientBounds } from './client-bounds.ts';
import { createClientQueues } from './client-queues.ts';
import { createDispatcherFromParts, type Dispatcher } from './dispatcher.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { createDispatcherMeter } from './dispatcher-meter.ts';
import { createHeldJobs } from './held-jobs.ts';
import { createJobServer } from './job-server.ts';
import { createCircuitKeeper } from './keep-circuits.ts';
import { createKeyTurns } from './key-turns.ts';
import { createClientSlots } from './slots/client-slots.ts';

/**
 * Creates a dispatcher. A part may use only parts that are created above it. It reaches parts created below it through
 * callbacks, after all parts exist.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clients, changes, tracing, clock, random, logger } = deps;
  const wake = createWake();
  const bounds = createClientBounds(clients, deps.leaseMs);
  const held = createHeldJobs(deps.ledger);
  const counts = createCallCounts({ clock });
  const claimWatch = createClaimWatch({ clock });
  const letters = createLetterKeeper({ deadLetters: deps.deadLetters, meter: deps.meter ?? noMeter, clock, logger });

  const slots = createClientSlots({
    nodes: deps.nodes,
    leases: deps.leases,
    owner: deps.owner,
    concurrencyOf: (clientId) => bounds.concurrencyOf(clientId),
    queues: () => queues.all(),
    onGained: () => wake.poke(),
    changes,
    clock,
    logger,
  });
  const queues = createClientQueues({
    concurrency: deps.concurrency,
    concurrencyOf: (clientId) => slots.of(clientId),
    isClosed: (clientId) => slots.isClosed(clientId),
    ownerOf: (clientId) => bounds.ownerOf(clientId),
    ratePerSecondOf: (clientId) => bounds.ratePerSecondOf(clientId, slots.of(clientId)),
    start: (job, whenDone) => server.serve(job, whenDone),
    clock,
    random,
  });
  const levels = () => ({ queued: queues.queued, waiting: queues.waiting, inFlight: queues.inFlight });
  const longestWaitMs = () => queues.longestWaitMs();
  const meter = createDispatcherMeter({ meter: deps.meter ?? noMeter, levels, longestWaitMs });
  const keeper = createCircuitKeeper({
    circuits: deps.circuits,
    clients,
    leaseOf: (clientId) => bounds.leaseOf(clientId),
    onProbe: (job) => {
      held.add([job]);
      server.serve(job);
    },
    changes,
    clock,
    logger,
  });
  const server = createJobServer({
    endpoint: deps.endpoint,
    clients,
    opener: deps.opener,
    inviter: deps.inviter,
    aliveUntilMs: () => deps.heartbeat.aliveUntilMs(),
    keeper,
    held,
    counts,
    meter,
    claimWatch,
    onEnded: () => wake.poke(),
    tracing,
    clock,
    random,
  });

  return createDispatcherFromParts({
    consumer: deps.consumer,
    heartbeat: deps.heartbeat,
    leaseMs: deps.leaseMs,
    bounds,
    letters,
    held,
    counts,
    claimWatch,
    slots,
    queues,
    keeper,
    server,
    keyTurns: createKeyTurns({ keys: deps.keys, clock, logger }),
    meter,
    levels,
    wake,
    clock,
    logger,
  });
}
