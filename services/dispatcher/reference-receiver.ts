import { jobReferences, type JobReferences } from '../../shared/contracts/messages/job-references.ts';
import { readMessage } from '../../shared/contracts/messages/read-message.ts';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { LaneMessage, LaneReceiver } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { OpenMessage, QueuedReference, ReferenceQueue } from './reference-queue.ts';

/** References in memory, some 200 bytes each. What comes beyond is left to the sweep: the database knows of it. */
const maxQueued = 200_000;

export interface ReferenceReceiverDeps {
  queue: ReferenceQueue;
  deadLetters: DeadLetters;
  /** True for a job that this process has already: its reference is a repeat. */
  isHeld: (reference: JobReference) => boolean;
  onSettled: (message: LaneMessage) => void;
  onArrived: () => void;
  logger: Logger;
}

/** Messages become queued references; what cannot be understood is dead-lettered and never holds up its lane. */
export function createReferenceReceiver(deps: ReferenceReceiverDeps): LaneReceiver & { stop(): void } {
  const { queue, deadLetters, isHeld, onSettled, onArrived, logger } = deps;
  let stopped = false;

  function deadLetter(message: LaneMessage, reason: string): void {
    const { topic, partition } = message.lane;
    logger.error({ topic, partition, offset: message.offset, reason }, 'a message cannot be read, dead-lettered');
    // Kept as well as can be: jobs are swept by what Postgres knows, whether or not the letter is.
    deadLetters.add([{ message, reason }]).then(
      () => onSettled(message),
      (error: unknown) => {
        logger.warn({ err: error }, 'could not keep a dead letter');
        onSettled(message);
      },
    );
  }

  function receive(message: LaneMessage): void {
    const read = readMessage(jobReferences, message.value);
    if (!read.ok) {
      deadLetter(message, `not references to jobs: ${read.reason}`);
      return;
    }
    const references = referencesOf(message, read.message).filter((reference) => !isHeld(reference));
    const [first] = references;
    if (!first || queue.size + references.length > maxQueued) {
      onSettled(message);
      return;
    }
    first.origin.open = references.length;
    queue.add(references);
  }

  return {
    deliver: (_lane, messages) => {
      if (stopped) return;
      for (const message of messages) receive(message);
      onArrived();
    },
    revoke: (lane) => queue.drop(lane),
    stop: () => {
      stopped = true;
    },
  };
}

function referencesOf(message: LaneMessage, { clients, jobs }: JobReferences): QueuedReference[] {
  const origin: OpenMessage = { message, open: jobs.length };
  return jobs.flatMap(([partition, dueUs, jobId, place]) => {
    const clientId = clients[place];
    return clientId === undefined ? [] : [{ partition, dueUs, jobId, clientId, origin }];
  });
}
