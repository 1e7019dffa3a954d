import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { readMessage } from '../../shared/contracts/messages/read-message.ts';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { LaneMessage, LaneReceiver } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

export interface ReferenceReceiverDeps {
  deadLetters: DeadLetters;
  onReferences: (references: readonly JobReference[]) => void;
  onSettled: (message: LaneMessage) => void;
  logger: Logger;
}

/**
 * A message is settled as soon as its references lie in memory: nothing stands behind anything on the topic, and what
 * is lost with this process is found by the sweep. What cannot be understood is dead-lettered, and never holds up its
 * lane.
 */
export function createReferenceReceiver(deps: ReferenceReceiverDeps): LaneReceiver & { stop(): void } {
  const { deadLetters, onReferences, onSettled, logger } = deps;
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
    const { clients, jobs } = read.message;
    onReferences(
      jobs.flatMap(([partition, dueUs, jobId, place]) => {
        const clientId = clients[place];
        return clientId === undefined ? [] : [{ partition, dueUs, jobId, clientId }];
      }),
    );
    onSettled(message);
  }

  return {
    deliver: (_lane, messages) => {
      if (stopped) return;
      for (const message of messages) receive(message);
    },
    // What came by it is in memory, and any dispatcher's to claim.
    revoke: () => undefined,
    stop: () => {
      stopped = true;
    },
  };
}
