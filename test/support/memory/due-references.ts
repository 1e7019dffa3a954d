import {
  isAfter,
  partitionBit,
  type BandSpan,
  type DueReferences,
  type Mark,
  type SkippedBands,
} from '../../../services/scheduler/ports/due-references.ts';
import { compareKeys, type JobReference } from '../../../shared/domain/job/job-key.ts';
import { readOwnTerms } from '../../../shared/contracts/jobs/call-terms.ts';
import { bandOf } from '../../../shared/domain/job/priority-bands.ts';
import { jobPartitionOf } from '../../../shared/domain/job/job-ids.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';
import { isDead } from './job-nodes.ts';

export function createMemoryDueReferences({ tables }: { tables: CallbackTables }): DueReferences {
  const { jobs, fires, clock } = tables;

  /**
   * Returns a reader of all jobs that are not sidelined, by partition. All are read once, because a query names many
   * partitions.
   */
  function byPartition(): (partition: number, fits: (reference: JobReference) => boolean) => JobReference[] {
    const grouped = new Map<number, JobReference[]>();
    for (const { jobId, clientId, dueAtMs, terms = null } of jobs.values()) {
      if (dueAtMs === Infinity) continue;
      const partition = jobPartitionOf(jobId);
      const ofPartition = grouped.get(partition) ?? [];
      grouped.set(partition, ofPartition);
      const { priority } = readOwnTerms(terms);
      const reference = { partition, dueUs: dueAtMs * 1000, jobId, clientId };
      ofPartition.push(priority ? { ...reference, priority } : reference);
    }
    return (partition, fits) => (grouped.get(partition) ?? []).filter(fits).sort(compareKeys);
  }
  const bandOfRow = ({ clientId, priority }: JobReference) => bandOf(clientId, priority);
  const isLeftOut = (row: JobReference, skippedBands: SkippedBands) =>
    ((skippedBands.get(bandOfRow(row)) ?? 0n) & partitionBit(row.partition)) !== 0n;
  const passedOf = (rows: readonly JobReference[], skippedBands: SkippedBands): BandSpan[] => {
    const spans: BandSpan[] = [];
    let before: JobReference | undefined;
    for (const row of rows) {
      const { partition, clientId, priority, dueUs, jobId } = row;
      const key = { dueUs, jobId };
      const isInRow = before !== undefined && bandOfRow(before) === bandOfRow(row);
      before = row;
      if (!isLeftOut(row, skippedBands)) continue;
      const { first, rows: count } = (isInRow ? spans.pop() : undefined) ?? { first: key, rows: 0 };
      spans.push({ partition, clientId, priority, first, last: key, rows: count + 1 });
    }
    return spans;
  };
  const isHeld = (jobId: string) => isLive(jobId) && !isDead(tables, fires.get(jobId)?.owner ?? '');
  const isKept = (jobId: string) => isHeld(jobId) || (isLive(jobId) && isInCall(jobId));
  const isInCall = (jobId: string) => (fires.get(jobId)?.exclusiveUntilMs ?? -Infinity) >= clock.nowMs();
  const isLive = (jobId: string) => (fires.get(jobId)?.leaseUntilMs ?? -Infinity) >= clock.nowMs();
  const isWithin = (reference: JobReference, { after, until }: { after: Mark; until: Mark }) =>
    isAfter(reference, after) && isUpTo(reference, until);
  const isUpTo = (reference: JobReference, until: Mark) => !isAfter(reference, until);
  const nowUs = () => clock.nowMs() * 1000;

  return {
    scan: (marks, limit, nearMs) =>
      atOnce(() => {
        const ofPartition = byPartition();
        const seen = marks.flatMap((mark) =>
          ofPartition(
            mark.partition,
            (reference) => isAfter(reference, mark) && reference.dueUs <= nowUs() + nearMs * 1000,
          ).slice(0, limit),
        );
        const due = seen.filter(({ dueUs }) => dueUs <= nowUs());
        const lateMs = due.reduce((most, { dueUs }) => Math.max(most, (nowUs() - dueUs) / 1000), 0);
        const later = seen.filter(({ dueUs }) => dueUs > nowUs()).map(({ dueUs }) => (dueUs - nowUs()) / 1000);
        return { due, nextInMs: later.length > 0 ? Math.min(...later) : null, lateMs };
      }),
    peek: (marks, skippedBands, limit) =>
      atOnce(() => {
        const ofPartition = byPartition();
        const read = marks.map((mark) => ({
          rows: ofPartition(mark.partition, (row) => isAfter(row, mark) && row.dueUs <= nowUs()).slice(0, limit),
        }));
        const all = read.flatMap(({ rows }) => rows);
        const due = all.filter((row) => !isLeftOut(row, skippedBands));
        const passed = read.flatMap(({ rows }) => passedOf(rows, skippedBands));
        const lateMs = all.reduce((most, { dueUs }) => Math.max(most, (nowUs() - dueUs) / 1000), 0);
        const readUpTo = new Map(all.map(({ partition, dueUs, jobId }) => [partition, { dueUs, jobId }]));
        return { due, passed, readUpTo, isFull: read.some(({ rows }) => rows.length === limit), lateMs };
      }),
    scanLate: (marks) =>
      atOnce(() => {
        const ofPartition = byPartition();
        const late = marks.flatMap((mark) =>
          ofPartition(
            mark.partition,
            (reference) =>
              reference.dueUs > Math.max(mark.dueUs - 1_000_000, nowUs() - 10_000_000) &&
              isUpTo(reference, mark) &&
              !isHeld(reference.jobId),
          ),
        );
        // A memory store has no open transactions, so one horizon is enough.
        return { late, horizon: '1', nowUs: nowUs() };
      }),
    readOfClients: (ranges, rows) =>
      atOnce(() => {
        const ofPartition = byPartition();
        return ranges.map((range) => {
          const { first, last: end } = range;
          const fits = (reference: JobReference) => !isAfter(first, reference) && isUpTo(reference, end);
          const read = ofPartition(range.partition, fits).slice(0, rows);
          const found = read
            .filter((row) => bandOfRow(row) === bandOf(range.clientId, range.priority) && !isHeld(row.jobId))
            .slice(0, range.limit);
          const last = found.length < range.limit ? read[rows - 1] : found.at(-1);
          return { found, readUpTo: last ? { dueUs: last.dueUs, jobId: last.jobId } : null };
        });
      }),
    sweep: (ranges, skippedBands, rows) =>
      atOnce(() => {
        const ofPartition = byPartition();
        const read = ranges.map((range) => ({
          ...range,
          rows: ofPartition(range.partition, (reference) => isWithin(reference, range)).slice(0, rows),
        }));
        const found = read.flatMap(({ rows: ofRange }) =>
          ofRange.filter((row) => !isLeftOut(row, skippedBands) && !isLive(row.jobId)),
        );
        const readUpTo = new Map(
          read.flatMap(({ partition, rows: ofRange }): [number, Mark][] => {
            const last = ofRange[rows - 1];
            return last ? [[partition, { dueUs: last.dueUs, jobId: last.jobId }]] : [];
          }),
        );
        return { found, readUpTo };
      }),
    sweepLapsed: (ranges, limit) =>
      atOnce(() => {
        const ofPartition = byPartition();
        return ranges.flatMap((range) =>
          ofPartition(
            range.partition,
            (reference) => isWithin(reference, range) && fires.has(reference.jobId) && !isKept(reference.jobId),
          ).slice(0, limit),
        );
      }),
  };
}
