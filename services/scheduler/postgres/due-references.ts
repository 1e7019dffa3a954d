import type { Pool } from 'pg';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import { plainArray, textArray } from '../../../shared/postgres/connection/array-literals.ts';
import { uuidArrayBytes } from '../../../shared/postgres/connection/binary-arrays.ts';
import {
  partitionBits,
  type ClientRead,
  type DueReferences,
  type Mark,
  type MarkRange,
  type SkippedBands,
} from '../ports/due-references.ts';
import {
  scanDue,
  scanLate,
  readOfClients,
  peekDue,
  sweepDue,
  sweepLapsed,
  type SkipParams,
} from './due-reference-statements.ts';
import { peekedOf, type PeekedRow } from './peeked-rows.ts';

type Row = [
  partition: number,
  dueUs: number,
  jobId: string,
  clientId: string,
  lateMs: number,
  priority: StoredPriority | null,
];

type HorizonRow = [partition: null, nowUs: number, horizon: string, null, null, null];

/**
 * A lost job, or the last row that was read. If the read reached its limit, the last row is returned even if it is no
 * lost job, so that the next read continues there.
 */
type SweptRow = [...Row, isLost: boolean, isLast: boolean];

/**
 * A job of the client, or the last row that was read. If the read reached its limit, the last row is returned even if
 * it belongs to another client, so that the next read continues there.
 */
type ClientRow = [...Row, isOwn: boolean, isLast: boolean, range: number];

/**
 * Creates the reader of due jobs.
 * @param deps.pool pool for frequent statements: these run a hundred times per second and must keep one good plan
 */
export function createDueReferences({ pool }: { pool: Pool }): DueReferences {
  return {
    scan: async (marks, limit, nearMs) => {
      const partitions = plainArray(marks.map(({ partition }) => partition));
      const after = markParams(marks);
      const { rows } = await pool.query<Row>({
        ...scanDue.with({ partitions, ...after, limit, nearMs }),
        rowMode: 'array',
      });
      const due = rows.filter(([, , , , lateMs]) => lateMs >= 0);
      const nextInMs = rows.reduce((least, row) => (row[4] < 0 ? Math.min(least, -row[4]) : least), Infinity);
      const lateMs = due.reduce((most, row) => Math.max(most, row[4]), 0);
      return { due: due.map(referenceOf), nextInMs: due.length < rows.length ? nextInMs : null, lateMs };
    },
    peek: async (marks, skippedBands, limit) => {
      const partitions = plainArray(marks.map(({ partition }) => partition));
      const { rows } = await pool.query<PeekedRow>({
        ...peekDue.with({ partitions, ...markParams(marks), limit }),
        rowMode: 'array',
      });
      return peekedOf(rows, skippedBands, limit);
    },
    scanLate: async (marks, horizon) => {
      const partitions = plainArray(marks.map(({ partition }) => partition));
      const statement = scanLate.with({ partitions, ...markParams(marks), horizon });
      const { rows } = await pool.query<Row | HorizonRow>({ ...statement, rowMode: 'array' });
      const late: JobReference[] = [];
      let [next, nowUs] = ['', 0];
      for (const row of rows) {
        if (row[0] === null) [, nowUs, next] = row;
        else late.push(referenceOf(row));
      }
      return { late, horizon: next, nowUs };
    },
    readOfClients: async (ranges, rows) => {
      const clients = plainArray(ranges.map(({ clientId }) => clientId));
      const limits = plainArray(ranges.map(({ limit }) => limit));
      const hasPriority = ranges.some(({ priority }) => priority);
      const priorities = hasPriority ? plainArray(ranges.map(({ priority }) => priority ?? 'NULL')) : '{}';
      const read = await pool.query<ClientRow>({
        ...readOfClients.with({ ...spanParams(ranges), clients, priorities, limits, rows }),
        rowMode: 'array',
      });
      const byRange = Map.groupBy(read.rows, ([, , , , , , , , range]) => range);
      return ranges.map(({ limit }, place) => clientReadOf(byRange.get(place + 1) ?? [], limit));
    },
    sweep: async (ranges, skippedBands, limit) => {
      const { rows } = await pool.query<SweptRow>({
        ...sweepDue.with({ ...rangeParams(ranges), ...skipParams(skippedBands, ranges), limit }),
        rowMode: 'array',
      });
      const found = rows.filter(([, , , , , , isLost]) => isLost).map(referenceOf);
      const last = rows.filter(([, , , , , , , isLast]) => isLast).map(referenceOf);
      return { found, readUpTo: new Map(last.map(({ partition, dueUs, jobId }) => [partition, { dueUs, jobId }])) };
    },
    sweepLapsed: async (ranges, limit) => {
      const statement = sweepLapsed.with({ ...rangeParams(ranges), limit });
      const { rows } = await pool.query<Row>({ ...statement, rowMode: 'array' });
      return rows.map(referenceOf);
    },
  };
}

function clientReadOf(rows: readonly ClientRow[], limit: number): ClientRead {
  const found = rows.filter(([, , , , , , isOwn]) => isOwn).map(referenceOf);
  const last = found.length < limit ? rows.find(([, , , , , , , isLast]) => isLast) : rows.at(-1);
  if (!last) return { found, readUpTo: null };
  const { dueUs, jobId } = referenceOf(last);
  return { found, readUpTo: { dueUs, jobId } };
}

function referenceOf(row: Row | SweptRow | ClientRow): JobReference {
  const [partition, dueUs, jobId, clientId, , priority] = row;
  const reference = { partition, dueUs: Math.round(dueUs), jobId, clientId };
  return priority === null ? reference : { ...reference, priority };
}

/**
 * Returns the parameters for the bands to skip, which are named by `bandOf`. The band of jobs with the normal priority
 * is named by their endpoint's id.
 * @param partitions partitions that the statement reads
 */
export function skipParams(skippedBands: SkippedBands, partitions: readonly { partition: number }[]): SkipParams {
  const requestedBits = partitionBits(partitions);
  const everywhere: string[] = [];
  const [partly, partlyIn]: [string[], bigint[]] = [[], []];
  const [bands, bandsIn]: [string[], bigint[]] = [[], []];
  for (const [band, bits] of skippedBands) {
    const requestedPart = bits & requestedBits;
    if (requestedPart === 0n) continue;
    if (band.includes('/')) {
      bands.push(band);
      bandsIn.push(BigInt.asIntN(64, requestedPart));
    } else if (requestedPart === requestedBits) everywhere.push(band);
    else {
      partly.push(band);
      partlyIn.push(BigInt.asIntN(64, requestedPart));
    }
  }
  return {
    everywhere: uuidArrayBytes(everywhere),
    partly: uuidArrayBytes(partly),
    partlyIn: plainArray(partlyIn.map(String)),
    bands: textArray(bands),
    bandsIn: plainArray(bandsIn.map(String)),
  };
}

function markParams(marks: readonly Mark[]) {
  return {
    dues: plainArray(marks.map(({ dueUs }) => dueUs)),
    ids: plainArray(marks.map(({ jobId }) => jobId)),
  };
}

function rangeParams(ranges: readonly MarkRange[]) {
  return spanParams(ranges.map(({ partition, after, until }) => ({ partition, first: after, last: until })));
}

function spanParams(ranges: readonly { partition: number; first: Mark; last: Mark }[]) {
  const until = markParams(ranges.map(({ last }) => last));
  return {
    partitions: plainArray(ranges.map(({ partition }) => partition)),
    ...markParams(ranges.map(({ first }) => first)),
    untilDues: until.dues,
    untilIds: until.ids,
  };
}
