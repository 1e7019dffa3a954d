import { expect, test } from 'vitest';
import { archiveState } from './log-archive.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 24, 4, minute));
const archived = { isOn: true, lastArchivedAt: at(5), waitingBytes: 0, lastFailedAt: null, lastFailed: null };
const failed = { lastFailedAt: at(4), lastFailed: '000000010000000000000007' };

test.each([
  ['off if the server does not archive', { ...archived, isOn: false }, 'off'],
  ['new until a file was archived', { ...archived, lastArchivedAt: null, waitingBytes: null }, 'new'],
  ['well while one file waits', { ...archived, waitingBytes: 16 * 1024 ** 2 }, 'well'],
  ['well again once the failed file was archived', { ...archived, ...failed }, 'well'],
  ['failing if the last attempt failed', { ...archived, ...failed, lastArchivedAt: at(3) }, 'failing'],
  [
    'failing if no file was ever archived',
    { ...archived, ...failed, lastArchivedAt: null, waitingBytes: null },
    'failing',
  ],
  ['behind if more than 1 GiB waits without a failure', { ...archived, waitingBytes: 1024 ** 3 + 1 }, 'behind'],
])('the state of the WAL archive is %s', (_, facts, state) => {
  expect(archiveState(facts)).toBe(state);
});
