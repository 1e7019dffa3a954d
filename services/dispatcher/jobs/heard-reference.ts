import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import type { Flushed } from '../ports/call-ledger.ts';

/** In whose name references wait that name a client which is not known here. */
export const unknownClient = '00000000-0000-0000-0000-000000000000';

/** A reference as it came, queued under a client that is known here. */
export interface HeardReference extends JobReference {
  /** Whose the message says it is. */
  saidClientId: string;
  /** By which message, without its bytes: they may be many. */
  heard: Pick<LaneMessage, 'lane' | 'offset'>;
}

/** A reference that the rows contradict, as the message that it would have been alone. */
export interface ForgedReference {
  message: LaneMessage;
  reason: string;
}

/** What is claimed is called all the same: for the client of its row, when its row is due. */
export function forgedAmong(
  references: readonly HeardReference[],
  { claimed, early }: Pick<Flushed, 'claimed' | 'early'>,
): ForgedReference[] {
  const ownerOf = new Map([...claimed, ...early].map(({ jobId, clientId }) => [jobId, clientId]));
  const tooEarly = new Set(early.map(({ jobId }) => jobId));
  return references.flatMap((reference) => {
    const { jobId, saidClientId } = reference;
    const isOfOther = (ownerOf.get(jobId) ?? saidClientId) !== saidClientId;
    if (isOfOther) return { message: alone(reference), reason: 'the job of another client' };
    return tooEarly.has(jobId) ? { message: alone(reference), reason: 'a job whose time has not come' } : [];
  });
}

function alone({ heard, saidClientId, partition, dueUs, jobId, priority }: HeardReference): LaneMessage {
  const value = JSON.stringify({ clients: [saidClientId], jobs: [[partition, dueUs, jobId, 0]], priority });
  return { ...heard, key: null, value: Buffer.from(value) };
}
