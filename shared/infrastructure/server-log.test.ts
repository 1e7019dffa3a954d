import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isMemoryHeld, failureLineOf } from './server-log.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-log-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the failure line of a server log', () => {
  it.each([
    [
      'the line of a port in use, before any other',
      'ERROR broker failed\njava.net.BindException: Address already in use',
      'java.net.BindException: Address already in use',
    ],
    ['the first error', 'INFO starting\nERROR no disk\nERROR exiting', 'ERROR no disk'],
    ['the last line of a log without errors', 'one\ntwo\n\n', 'two'],
    ['a replacement text for an empty log', '', 'it wrote nothing'],
  ])('is %s', async (_name, log, line) => {
    const file = join(folder, 'server.log');
    await writeFile(file, log);
    expect(await failureLineOf(file)).toBe(line);
  });
});

const held =
  '2026-11-28 02:46:18.306 UTC [12893] FATAL:  pre-existing shared memory block (key 10918426, ID 360467) is still in use';

it('the log of a server shows whether its start failed because a killed server still holds its memory', () => {
  expect(isMemoryHeld(`LOG:  starting\n${held}\nHINT:  Terminate any old server processes\n`)).toBe(true);
  expect(isMemoryHeld(`${held}\nFATAL:  could not create lock file "postmaster.pid"\n`)).toBe(false);
  expect(isMemoryHeld('LOG:  database system is ready to accept connections\n')).toBe(false);
});
