import type { LogArchive } from '../../../shared/postgres/connection/log-archive.ts';

/** @throws if log archiving is on and fails */
export function archiveLine({ state, ...archive }: LogArchive): string {
  const last = `the last file at ${archive.lastArchivedAt?.toISOString() ?? 'no time'}`;
  const waiting = `${Math.round((archive.waitingBytes ?? 0) / 1024 ** 2)} MiB wait`;
  switch (state) {
    case 'off':
      return 'is off: unless something else copies the log, a restore ends with the last backup';
    case 'new':
      return 'is on, and no file was whole yet';
    case 'well':
      return `${last}, ${waiting}`;
    case 'behind':
      throw new Error(`is behind: ${last}, ${waiting}`);
    case 'failing':
      throw new Error(
        `fails since ${archive.lastFailed ?? 'a file'}, tried at ${archive.lastFailedAt?.toISOString() ?? 'no time'}`,
      );
  }
}
