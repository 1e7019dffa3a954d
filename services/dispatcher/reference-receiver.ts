import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { readMessage } from '../../shared/contracts/messages/read-message.ts';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { LaneMessage, LaneReceiver } from '../../shared/ports/message-bus.ts';
import type { LetterKeeper } from '../../shared/runtime/letter-keeper.ts';

export interface ReferenceReceiverDeps {
  letters: LetterKeeper;
  onReferences: (references: readonly JobReference[]) => void;
  onSettled: (message: LaneMessage) => void;
}

/**
 * A message is settled as soon as its references lie in memory: nothing stands behind anything on the topic, and what
 * is lost with this process is found by the sweep. What cannot be understood is dead-lettered, and never holds up its
 * lane.
 */
export function createReferenceReceiver(deps: ReferenceReceiverDeps): LaneReceiver & { stop(): void } {
  const { letters, onReferences, onSettled } = deps;
  let stopped = false;

  function receive(message: LaneMessage): void {
    const read = readMessage(jobReferences, message.value);
    if (!read.ok) {
      letters.keep(message, 'unreadable', `not references to jobs: ${read.reason}`, () => onSettled(message));
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
      letters.stop();
    },
  };
}
