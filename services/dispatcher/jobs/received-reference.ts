import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import type { Flushed } from '../ports/call-ledger.ts';

/** Client id under which references wait whose client is not known here. */
export const unknownClient = '00000000-0000-0000-0000-000000000000';

/** Reference as received, queued under a client that is known here. */
export interface ReceivedReference extends JobReference {
  /** Client that the message names. */
  messageClientId: string;
  /** Message of the reference, without its bytes, which may be many. */
  messagePosition: Pick<LaneMessage, 'lane' | 'offset'>;
}

/** Reference that the rows contradict, in the form of a message of its own. */
export interface ForgedReference {
  message: LaneMessage;
  reason: string;
}

/** Returns references that the rows contradict. Claimed jobs are still called, by their row, when it is due. */
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
