import { describe, expect, it } from 'vitest';
import type { LogArchive } from '../../../shared/postgres/connection/log-archive.ts';
import { archiveLine } from './check-archive.ts';

const well: LogArchive = {
  isOn: true,
  state: 'well',
  lastArchivedAt: new Date('2026-11-24T04:00:00Z'),
  waitingBytes: 16 * 1024 ** 2,
  lastFailedAt: null,
  lastFailed: null,
};

describe('the WAL archive check of muster doctor', () => {
  it('passes if archiving is off, new or healthy', () => {
    expect(archiveLine(well)).toBe('the last file at 2026-11-24T04:00:00.000Z, 16 MiB wait');
    expect(archiveLine({ ...well, state: 'new' })).toBe('is on, and no file was whole yet');
    expect(archiveLine({ ...well, isOn: false, state: 'off' })).toMatch(
      /^is off: .*a restore ends with the last backup/,
    );
  });

  it('fails if archiving lags behind or fails, and names the file and the time of the last attempt', () => {
    const lastFailedAt = new Date('2026-11-24T05:00:00Z');
    const failing = { ...well, state: 'failing' as const, lastFailedAt, lastFailed: '00000001000000000000000A' };
    expect(() => archiveLine(failing)).toThrow(
      'fails since 00000001000000000000000A, tried at 2026-11-24T05:00:00.000Z',
    );
    expect(() => archiveLine({ ...well, state: 'behind', waitingBytes: 3 * 1024 ** 3 })).toThrow(
      /is behind: .*3072 MiB/,
    );
  });
});
