import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whatWentWrong } from './server-log.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-log-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('what went wrong, by a log', () => {
  it.each([
    [
      'a port that is taken, before all else',
      'ERROR broker failed\njava.net.BindException: Address already in use',
      'java.net.BindException: Address already in use',
    ],
    ['the first error', 'INFO starting\nERROR no disk\nERROR exiting', 'ERROR no disk'],
    ['else its last line', 'one\ntwo\n\n', 'two'],
    ['nothing, where it is empty', '', 'it wrote nothing'],
  ])('is %s', async (_name, log, line) => {
    const file = join(folder, 'server.log');
    await writeFile(file, log);
    expect(await whatWentWrong(file)).toBe(line);
  });
});
