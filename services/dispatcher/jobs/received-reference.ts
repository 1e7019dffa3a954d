import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import type { Flushed } from '../ports/call-ledger.ts';

/** Client id under which references are queued if this dispatcher does not know their client. */
export const unknownClient = '00000000-0000-0000-0000-000000000000';

/** A received reference to a due job, queued under a client that this dispatcher knows. */
export interface ReceivedReference extends JobReference {
  /** Id of the client as the Kafka message contains it. */
  messageClientId: string;
  /**
   * Position of the Kafka message that contained the reference. The content of the message is not kept, because it may
   * be large.
   */
  messagePosition: Pick<LaneMessage, 'lane' | 'offset'>;
}

/** A reference that contradicts the rows in the database. `message` contains only this reference. */
export interface ForgedReference {
  message: LaneMessage;
  reason: string;
}

/**
 * Returns the references that contradict the rows in the database. If the job of such a reference was claimed, this
 * dispatcher calls the job nevertheless, according to its row.
 */
export function forgedAmong(
  references: readonly ReceivedReference[],
  { claimed, early }: Pick<Flushed, 'claimed' | 'early'>,
): ForgedReference[] {
  const ownerOf = new Map([...claimed, ...early].map(({ jobId, clientId }) => [jobId, clientId]));
  const tooEarly = new Set(early.map(({ jobId }) => jobId));
  return references.flatMap((reference) => {
    const { jobId, messageClientId } = reference;
    const isOfOther = (ownerOf.get(jobId) ?? messageClientId) !== messageClientId;
    if (isOfOther) return { message: alone(reference), reason: 'the job of another client' };
    return tooEarly.has(jobId) ? { message: alone(reference), reason: 'a job whose time has not come' } : [];
  });
}

function alone({
  messagePosition,
  messageClientId,
  partition,
  dueUs,
  jobId,
  priority,
}: ReceivedReference): LaneMessage {
  const value = JSON.stringify({ clients: [messageClientId], jobs: [[partition, dueUs, jobId, 0]], priority });
  return { ...messagePosition, key: null, value: Buffer.from(value) };
}
