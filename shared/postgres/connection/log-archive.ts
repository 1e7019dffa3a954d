import type { Pool } from 'pg';
import { onlyRow } from './rows.ts';

interface Archived {
  isOn: boolean;
  lastArchivedAt: Date | null;
  /** Completed log files that are not archived, in bytes; null (unknown) until the first file is archived. */
  waitingBytes: number | null;
  lastFailedAt: Date | null;
  /** Name of the log file that failed last. */
  lastFailed: string | null;
}

export interface LogArchive extends Archived {
  state: 'off' | 'new' | 'well' | 'behind' | 'failing';
}

/**
 * Waiting bytes from which the archive counts as behind: 64 files of the usual size. A server that archives each
 * completed file has one or two files waiting.
 */
const backlogBytes = 1024 ** 3;

/**
 * Reads the server's report on its own log archive. The server knows nothing of finished base backups, nor of archives
 * that other programs keep (`pg_receivewal`, cloud snapshots): the state is `off` there.
 */
export async function readLogArchive(pool: Pool): Promise<LogArchive> {
  const archived = onlyRow((await pool.query<Archived>(selectArchived)).rows);
  return { ...archived, state: archiveState(archived) };
}

export function archiveState({ isOn, lastArchivedAt, waitingBytes, lastFailedAt }: Archived): LogArchive['state'] {
  if (!isOn) return 'off';
  // The server retries a failed file until it is archived: a later success means that it was.
  if (lastFailedAt !== null && (lastArchivedAt === null || lastFailedAt > lastArchivedAt)) return 'failing';
  if (lastArchivedAt === null) return 'new';
  return waitingBytes !== null && waitingBytes > backlogBytes ? 'behind' : 'well';
}

/**
 * Reads the archiver's figures. A log file's name is its timeline, then two numbers for its position in the log. Files
 * of standbys and backups begin with such a name of 24 characters, or have none. A server that does not archive is not
 * asked for its log position: some cloud servers refuse that.
 */
const selectArchived = `
  select current_setting('archive_mode') <> 'off' as "isOn", a.last_archived_time as "lastArchivedAt",
    case when current_setting('archive_mode') <> 'off' and not pg_is_in_recovery() and l.file is not null then
      (greatest(0, floor((pg_wal_lsn_diff(pg_current_wal_lsn(), (substr(l.file, 9, 8) || '/0')::pg_lsn)
        - (('x' || substr(l.file, 17, 8))::bit(32)::bigint + 1) * l.bytes) / l.bytes)) * l.bytes)::float8
    end as "waitingBytes",
    a.last_failed_time as "lastFailedAt", a.last_failed_wal as "lastFailed"
  from pg_stat_archiver a cross join lateral (
    select substring(a.last_archived_wal from '^[0-9A-F]{24}') as file,
      pg_size_bytes(current_setting('wal_segment_size')) as bytes
  ) l`;
