import type { System } from '#client/types.gen.ts';
import { formatBytes } from './bytes.ts';
import type { Mend } from './mend.ts';

const dayMs = 86_400_000;

type Ahead = Pick<System, 'asOf' | 'partitions'>;
type Archive = Pick<System, 'logArchive'>;

/** Returns problems of partitions: those that will soon be missing, or cannot be created. */
export function partitionMends({ asOf, partitions: { runsUntil, jobsUntil, cannotMake } }: Ahead): Mend[] {
  const daysLeft = (until: string) => (Date.parse(until) - Date.parse(asOf)) / dayMs;
  // Partitions of runs are created four weeks ahead, those of jobs four days, with an hourly check. So few days mean
  // that the creation has failed for long.
  const soon = [
    ...(daysLeft(runsUntil) < 7 ? ['A trigger makes those of runs.'] : []),
    ...(daysLeft(jobsUntil) < 1 ? ['A scheduler makes those of jobs.'] : []),
  ];
  const mends: Mend[] = [];
  if (cannotMake.length > 0) {
    mends.push({
      key: 'partitions cannot be made',
      title: `${cannotMake.join(' and ')} may not make tables:`,
      text: 'the role that owns the schema lost a right. Apply muster grants anew, before those that are there are used up.',
    });
  }
  if (soon.length > 0) {
    mends.push({
      key: 'partitions',
      title: 'The tables of the next days are not made:',
      text: `${soon.join(' ')} What is written meanwhile goes into one table for all that fits nowhere, which is deleted row by row and slows with its size.`,
    });
  }
  return mends;
}

/** Returns the problem of a write-ahead log that is not archived. */
export function archiveMends({ logArchive: { state, lastFailed, waitingBytes } }: Archive): Mend[] {
  const waiting = waitingBytes === null ? '' : `${formatBytes(waitingBytes)} of it wait. `;
  const text = `${waiting}Postgres keeps what is not archived, so its disk fills, and a restore ends before it. Its own log says why.`;
  if (state === 'failing') {
    return [
      { key: 'archive', title: `The database’s log is not archived since ${lastFailed ?? 'its last file'}:`, text },
    ];
  }
  if (state === 'behind') return [{ key: 'archive', title: 'The archive of the database’s log is behind:', text }];
  return [];
}

/** Describes the state of the archive. The caller adds a time, if there is one. */
export function archiveInWords({ logArchive: { state, lastArchivedAt } }: Archive): string {
  switch (state) {
    case 'off':
      return 'the log is not archived by this server';
    case 'new':
      return 'the log is archived, no file was whole yet';
    case 'failing':
      return lastArchivedAt === null ? 'the log was never archived' : 'the log fails to be archived, last';
    case 'behind':
      return 'the log is archived late, last';
    case 'well':
      return 'the log is archived, last';
  }
}

/** Returns the lines about the database for the copied text. */
export function databaseLines({ partitions, logArchive }: Ahead & Archive): string[] {
  const { state, lastArchivedAt } = logArchive;
  return [
    `tables: until ${partitions.runsUntil} for runs, until ${partitions.jobsUntil} for jobs`,
    `log archive: ${state}${lastArchivedAt === null ? '' : `, last at ${lastArchivedAt}`}`,
  ];
}
