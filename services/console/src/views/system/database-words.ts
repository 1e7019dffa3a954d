import type { System } from '#client/types.gen.ts';
import { formatBytes } from './bytes.ts';
import type { OperatorProblem } from './operator-problem.ts';

const dayMs = 86_400_000;

type Ahead = Pick<System, 'asOf' | 'partitions'>;
type Archive = Pick<System, 'logArchive'>;

/** Returns problems of table partitions: partitions of the next days are missing, or cannot be created. */
export function findPartitionProblems({
  asOf,
  partitions: { runsUntil, jobsUntil, cannotMake },
}: Ahead): OperatorProblem[] {
  const daysLeft = (until: string) => (Date.parse(until) - Date.parse(asOf)) / dayMs;
  // Partitions are created well in advance: four weeks for runs, four days for jobs, with an hourly check. If so few
  // days are left, the creation has been failing for a long time.
  const ending = [
    ...(daysLeft(runsUntil) < 7 ? ['A trigger creates those of runs.'] : []),
    ...(daysLeft(jobsUntil) < 1 ? ['A scheduler creates those of jobs.'] : []),
  ];
  const problems: OperatorProblem[] = [];
  if (cannotMake.length > 0) {
    problems.push({
      key: 'partitions cannot be made',
      title: `${cannotMake.join(' and ')} cannot create tables:`,
      text: 'the role that owns the schema lost a privilege. Apply muster grants again before the existing tables are used up.',
    });
  }
  if (ending.length > 0) {
    problems.push({
      key: 'partitions',
      title: 'The tables of the next days are missing:',
      text: `${ending.join(' ')} New rows go into the default partition, which is deleted row by row and slows down as it grows.`,
    });
  }
  return problems;
}

/** Returns the problem if the write-ahead log is not archived, or too late. */
export function findArchiveProblems({ logArchive: { state, lastFailed, waitingBytes } }: Archive): OperatorProblem[] {
  const waiting = waitingBytes === null ? '' : `${formatBytes(waitingBytes)} wait. `;
  const text = `${waiting}Postgres keeps files that are not archived, so its disk fills up, and a restore cannot include them. The Postgres log has the cause.`;
  if (state === 'failing') {
    return [
      { key: 'archive', title: `The write-ahead log is not archived since ${lastFailed ?? 'its last file'}:`, text },
    ];
  }
  if (state === 'behind') return [{ key: 'archive', title: 'The archive of the write-ahead log is late:', text }];
  return [];
}

/** Describes the state of the archive. The caller adds a time, if there is one. */
export function describeArchive({ logArchive: { state, lastArchivedAt } }: Archive): string {
  switch (state) {
    case 'off':
      return 'the log is not archived by this server';
    case 'new':
      return 'the log is archived, no file is complete yet';
    case 'failing':
      return lastArchivedAt === null ? 'the log was never archived' : 'archiving the log fails, last success';
    case 'behind':
      return 'the log is archived late, last';
    case 'well':
      return 'the log is archived, last';
  }
}

/** Returns the lines about the database for the text that support receives. */
export function formatDatabaseLines({ partitions, logArchive }: Ahead & Archive): string[] {
  const { state, lastArchivedAt } = logArchive;
  return [
    `tables: until ${partitions.runsUntil} for runs, until ${partitions.jobsUntil} for jobs`,
    `log archive: ${state}${lastArchivedAt === null ? '' : `, last at ${lastArchivedAt}`}`,
  ];
}
