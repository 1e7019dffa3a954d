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

/**
 * Number of queued references from which the dispatcher fetches fewer messages. At full load, the dispatcher calls this
 * many jobs in about 100 ms.
 */
const crowdedFrom = 1000;

/**
 * Creates the receiver of references to due jobs. A message is settled as soon as its references are in memory, so that
 * no message blocks others on the topic. If this process dies, the schedulers' sweep finds the jobs again. Unreadable
 * messages are dead-lettered, and do not block their lane (topic partition) either.
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
      // The partition can be computed from the job's id. A reference with another partition is rejected, because the
      // queue would mistake it for the correct reference.
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
    // Nothing needs to be done: the references of the lane are already in memory, and any dispatcher may claim their
    // jobs.
    revoke: () => undefined,
    isCrowded: () => queued() >= crowdedFrom,
    stop: () => {
      stopped = true;
      letters.stop();
    },
  };
}
