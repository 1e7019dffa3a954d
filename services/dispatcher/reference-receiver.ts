import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { readMessage } from '../../shared/contracts/messages/read-message.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import type { LaneMessage, LaneReceiver } from '../../shared/ports/message-bus.ts';
import type { LetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import { unknownClient, type HeardReference } from './jobs/heard-reference.ts';

export interface ReferenceReceiverDeps {
  letters: LetterKeeper;
  /** Whether there is such a client, as far as is known here. */
  isKnown: (clientId: string) => boolean;
  onReferences: (references: readonly HeardReference[]) => void;
  onSettled: (message: LaneMessage) => void;
  /** References that wait in memory. */
  queued: () => number;
}

/** What calls get through in some 100 ms at full load: nothing waits for what is fetched later. */
const crowdedFrom = 1000;

/**
 * A message is settled as soon as its references lie in memory: nothing stands behind anything on the topic, and what
 * is lost with this process is found by the sweep. What cannot be understood is dead-lettered, and never holds up its
 * lane.
 */
export function createReferenceReceiver(deps: ReferenceReceiverDeps): LaneReceiver & { stop(): void } {
  const { letters, isKnown, onReferences, onSettled, queued } = deps;
  let stopped = false;

  function receive(message: LaneMessage): void {
    const read = readMessage(jobReferences, message.value);
    if (!read.ok) {
      letters.keep(message, 'unreadable', `not references to jobs: ${read.reason}`, () => onSettled(message));
      return;
    }
    const { clients, jobs, priority } = read.message;
    const heard = { lane: message.lane, offset: message.offset };
    const references = jobs.flatMap(([partition, dueUs, jobId, place]) => {
      const clientId = clients[place];
      // Its partition is a part of its id: with another it would stand in the way of the true reference.
      if (clientId === undefined || partition !== jobPartitionOf(jobId)) return [];
      const queuedUnder = isKnown(clientId) ? clientId : unknownClient;
      return { partition, dueUs, jobId, clientId: queuedUnder, saidClientId: clientId, heard, priority };
    });
    if (references.length < jobs.length) {
      letters.keep(message, 'unreadable', 'not references to jobs: of no client, or of another partition', () => {
        onSettled(message);
      });
    } else onSettled(message);
    onReferences(references);
  }

  return {
    deliver: (_lane, messages) => {
      if (stopped) return;
      for (const message of messages) receive(message);
    },
    // What came by it is in memory, and any dispatcher's to claim.
    revoke: () => undefined,
    isCrowded: () => queued() >= crowdedFrom,
    stop: () => {
      stopped = true;
      letters.stop();
    },
  };
}
