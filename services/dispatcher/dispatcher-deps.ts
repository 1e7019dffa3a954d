import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { JobNodes } from '../../shared/ports/job-nodes.ts';
import type { Leases } from '../../shared/ports/leases.ts';
import type { MessageConsumer } from '../../shared/ports/message-bus.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { ChangeFeed } from '../../shared/ports/change-feed.ts';
import type { KeyAdvancer } from '../../shared/ports/ordered-keys.ts';
import type { Tracing } from '../../shared/ports/tracing.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { CallOpener } from './call/call-opener.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { CallLedger } from './ports/call-ledger.ts';
import type { CallbackEndpoint } from './ports/callback-endpoint.ts';
import type { ClientDirectory } from './ports/client-terms.ts';
import type { HostCircuits } from './ports/host-circuits.ts';
import type { ReportInviter } from './call/report-inviter.ts';

export interface DispatcherDeps {
  consumer: MessageConsumer;
  ledger: CallLedger;
  circuits: HostCircuits;
  keys: Pick<KeyAdvancer, 'advance'>;
  clients: ClientDirectory;
  opener: CallOpener;
  inviter: ReportInviter;
  endpoint: CallbackEndpoint;
  deadLetters: DeadLetters;
  heartbeat: Pick<Heartbeat, 'aliveUntilMs'>;
  nodes: Pick<JobNodes, 'dispatchers'>;
  /** Leases that dispatchers use to share out the call slots of a client, one lease for each slot. */
  leases: Leases;
  /** Name under which this dispatcher owns claims and leases. Its heartbeats contain the same name. */
  owner: string;
  /** Shortest lease of a claim in milliseconds. */
  leaseMs: number;
  /** Maximum number of calls in flight, over all clients. */
  concurrency: number;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  /** Notifications about other dispatchers, and about circuits that other dispatchers open. */
  changes: ChangeFeed;
  logger: Logger;
  meter?: Meter;
  tracing?: Tracing | null | undefined;
}
