import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { readMessage } from '../../shared/contracts/messages/read-message.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import type { LaneMessage, LaneReceiver } from '../../shared/ports/message-bus.ts';
import type { LetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import { unknownClient, type ReceivedReference } from './jobs/received-reference.ts';

export interface ReferenceReceiverDeps {
  letters: LetterKeeper;
  isKnown: (clientId: string) => boolean;
  onReferences: (references: readonly ReceivedReference[]) => void;
  onSettled: (message: LaneMessage) => void;
  queued: () => number;
}

/** Number of queued references at which fetching slows down: the calls of about 100 ms at full load. */
const crowdedFrom = 1000;

/**
 * Creates the receiver of references. A message is settled as soon as its references are in memory, so no message
 * blocks another one on the topic. The sweep finds jobs that are lost with this process. Unreadable messages are
 * dead-lettered, and never block their lane.
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
    const messagePosition = { lane: message.lane, offset: message.offset };
    const references = jobs.flatMap(([partition, dueUs, jobId, place]) => {
      const clientId = clients[place];
      // The partition is part of the job's id: another one would get in the way of the true reference.
      if (clientId === undefined || partition !== jobPartitionOf(jobId)) return [];
      const queuedUnder = isKnown(clientId) ? clientId : unknownClient;
      return { partition, dueUs, jobId, clientId: queuedUnder, messageClientId: clientId, messagePosition, priority };
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
    // The references of the lane are in memory, and any dispatcher may claim their jobs.
    revoke: () => undefined,
    isCrowded: () => queued() >= crowdedFrom,
    stop: () => {
      stopped = true;
      letters.stop();
    },
  };
}
