import { expect, test } from 'vitest';
import { archiveState } from './log-archive.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 24, 4, minute));
const archived = { isOn: true, lastArchivedAt: at(5), waitingBytes: 0, lastFailedAt: null, lastFailed: null };
const failed = { lastFailedAt: at(4), lastFailed: '000000010000000000000007' };

test.each([
  ['is off where the server does not archive', { ...archived, isOn: false }, 'off'],
  ['is new until a file was archived', { ...archived, lastArchivedAt: null, waitingBytes: null }, 'new'],
  ['is well while one file waits', { ...archived, waitingBytes: 16 * 1024 ** 2 }, 'well'],
  ['is well again once the file that failed was archived', { ...archived, ...failed }, 'well'],
  ['fails when the last try did', { ...archived, ...failed, lastArchivedAt: at(3) }, 'failing'],
  [
    'fails when none was ever archived',
    { ...archived, ...failed, lastArchivedAt: null, waitingBytes: null },
    'failing',
  ],
  ['is behind when more than 1 GiB waits and nothing fails', { ...archived, waitingBytes: 1024 ** 3 + 1 }, 'behind'],
])('the archive of the log %s', (_, facts, state) => {
  expect(archiveState(facts)).toBe(state);
});
