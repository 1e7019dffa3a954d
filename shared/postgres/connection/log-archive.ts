import type { Pool } from 'pg';
import { onlyRow } from './rows.ts';

interface Archived {
  /** Whether the server archives its log at all. */
  isOn: boolean;
  lastArchivedAt: Date | null;
  /** Files of the log that are whole and not archived, in bytes; null: none was archived yet, so it is not known. */
  waitingBytes: number | null;
  lastFailedAt: Date | null;
  /** The file of the log. */
  lastFailed: string | null;
}

export interface LogArchive extends Archived {
  state: 'off' | 'new' | 'well' | 'behind' | 'failing';
}

/** 64 files of the usual size. A server that archives each as it is whole has one waiting, or two. */
const behindBytes = 1024 ** 3;

/**
 * What the server says of the archive of its own log. Of base backups it knows nothing once they are taken, and of an
 * archive that another program keeps (`pg_receivewal`, snapshots of a cloud) neither: there it is off.
 */
export async function readLogArchive(pool: Pool): Promise<LogArchive> {
  const archived = onlyRow((await pool.query<Archived>(selectArchived)).rows);
  return { ...archived, state: archiveState(archived) };
}

export function archiveState({ isOn, lastArchivedAt, waitingBytes, lastFailedAt }: Archived): LogArchive['state'] {
  if (!isOn) return 'off';
  // What failed is tried again until it is archived: one that came after it says that it was.
  if (lastFailedAt !== null && (lastArchivedAt === null || lastFailedAt > lastArchivedAt)) return 'failing';
  if (lastArchivedAt === null) return 'new';
  return waitingBytes !== null && waitingBytes > behindBytes ? 'behind' : 'well';
}

/**
 * The name of a file is its timeline, and its place in the log by two numbers. What a standby or a backup leaves among
 * them has names of its own, of which the first 24 places are such a name, or it has none. A server that does not
 * archive is not asked where its log is: on some of those of a cloud that is refused.
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
