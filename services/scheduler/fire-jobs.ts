import type { FireMessage } from '../../shared/contracts/messages.ts';
import type { DueJob, DueJobs } from './ports/due-jobs.ts';
import type { HeldLease } from '../../shared/ports/leases.ts';
import type { MessagePublisher, OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

/** Jobs taken in one transaction, at most: it stays open until Kafka has acknowledged all of them. */
const maxJobsPerFire = 500;

export interface FireJobsDeps {
  dueJobs: DueJobs;
  publisher: MessagePublisher;
  topic: string;
  /** New jobs may fall due before the ones that are known: look again after this at the latest. */
  pollMs: number;
  /** The lease, while it is surely ours. */
  held: () => HeldLease | null;
  /** The database says that the lease is not ours. */
  leaseLost: () => void;
  logger: Logger;
}

/** Publishes what is due. Returns how long to wait before looking again, in milliseconds. */
export async function fireJobs(deps: FireJobsDeps): Promise<number> {
  const lease = deps.held();
  if (!lease) return deps.pollMs;

  const { leaseHeld, fired, nextDueInMs } = await deps.dueJobs.fire(lease, maxJobsPerFire, (jobs) =>
    deps.publisher.publish(jobs.map((job) => fireRecord(deps.topic, job))),
  );
  if (!leaseHeld) {
    deps.leaseLost();
    return deps.pollMs;
  }
  if (fired > 0) deps.logger.info({ fired }, 'jobs fired');
  return fired === maxJobsPerFire ? 0 : Math.min(nextDueInMs ?? deps.pollMs, deps.pollMs);
}

/** The fire is named after its job, so that a repeat is known as one. */
function fireRecord(topic: string, { job, campaignId, revision, dueAt }: DueJob): OutgoingMessage {
  const fire: FireMessage = {
    fireId: job,
    kind: 'start-run',
    campaignId,
    revision,
    scheduledFor: dueAt.toISOString(),
  };
  return { topic, value: JSON.stringify(fire) };
}
