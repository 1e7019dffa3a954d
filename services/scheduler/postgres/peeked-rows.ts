import { bandOf, type StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { instantsIn, uuidsIn } from '../../../shared/postgres/connection/binary-arrays.ts';
import { partitionBit, type Mark, type SkippedBands, type Peeked } from '../ports/due-references.ts';

/** Jobs of one partition in their order, as arrays of equal length in Postgres's binary format. */
export type PeekedRow = [
  partition: number,
  lateMs: number,
  dues: Buffer,
  ids: Buffer,
  endpoints: Buffer,
  /** The jobs with a priority, each as `<id>/<priority>`; null if there are none. */
  priorities: string | null,
];

/** Divides the rows into due jobs to offer, and spans of the bands to skip. */
export function peekedOf(rows: readonly PeekedRow[], skippedBands: SkippedBands, limit: number): Peeked {
  const peeked: Peeked = { due: [], passed: [], readUpTo: new Map(), isFull: false, lateMs: 0 };
  for (const row of rows) {
    const read = readPartition(row, skippedBands, peeked);
    if (read === limit) peeked.isFull = true;
    peeked.lateMs = Math.max(peeked.lateMs, row[1]);
  }
  return peeked;
}

function readPartition(
  [partition, , dueBytes, idBytes, endpointBytes, priorities]: PeekedRow,
  skippedBands: SkippedBands,
  { due, passed, readUpTo }: Peeked,
): number {
  const [dues, ids, endpoints] = [instantsIn(dueBytes), uuidsIn(idBytes), uuidsIn(endpointBytes)];
  const priorityOfJob = readPriorities(priorities);
  const priorityAt = (place: number) => priorityOfJob?.get(ids.at(place));
  const keyAt = (place: number): Mark => ({ dueUs: dues.at(place), jobId: ids.at(place) });
  const bit = partitionBit(partition);
  let from = 0;
  for (let place = 0; place < ids.length; place++) {
    const isLast = place + 1 === ids.length || !endpoints.isSame(place, place + 1);
    if (!isLast && priorityAt(place) === priorityAt(place + 1)) continue;
    const [clientId, priority] = [endpoints.at(place), priorityAt(place)];
    if (((skippedBands.get(bandOf(clientId, priority)) ?? 0n) & bit) !== 0n) {
      const first = keyAt(from);
      const last = from === place ? first : keyAt(place);
      passed.push({ partition, clientId, priority, first, last, rows: place - from + 1 });
    } else {
      for (let each = from; each <= place; each++) {
        const reference: JobReference = { partition, ...keyAt(each), clientId };
        due.push(priority === undefined ? reference : { ...reference, priority });
      }
    }
    from = place + 1;
  }
  readUpTo.set(partition, keyAt(ids.length - 1));
  return ids.length;
}

function readPriorities(text: string | null): ReadonlyMap<string, StoredPriority> | null {
  if (text === null) return null;
  const byId = new Map<string, StoredPriority>();
  for (const named of text.split(',')) {
    const [id = '', priority] = named.split('/');
    if (priority === 'high' || priority === 'low') byId.set(id, priority);
  }
  return byId;
}
