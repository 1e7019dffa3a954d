import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuardian, type Guardian } from './guarded-processes.ts';
import { fetchKafka, kafkaFolder } from './kafka-artifacts.ts';

let folder: string;
let guardian: Guardian;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-artifacts-test-'));
  await mkdir(join(folder, 'guarded'));
  guardian = createGuardian(join(folder, 'guarded'));
  environment = { PATH: join(folder, 'bin'), MUSTER_CACHE: join(folder, 'cache') };
});
afterEach(async () => {
  await guardian.end();
  await rm(folder, { recursive: true });
});

/** Installs a Maven that writes one jar to the requested folder, and a line for every run. */
async function installMaven(script = ''): Promise<void> {
  await mkdir(join(folder, 'bin'));
  const command = join(folder, 'bin', 'mvn');
  const copy = `/bin/echo ran >> ${folder}/runs; /bin/mkdir -p libs; /bin/echo jar > libs/kafka.jar`;
  await writeFile(command, `#!/bin/sh\n${script}\n${copy}\n`);
  await chmod(command, 0o755);
}

const fetch = (reported: string[] = []) => fetchKafka({ environment, guardian, report: (line) => reported.push(line) });
const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length;

describe("the download of Kafka's jars", () => {
  it('runs once for two concurrent callers and a later one', async () => {
    await installMaven();
    const folders = [...(await Promise.all([fetch(), fetch()])), await fetch()];
    expect(new Set(folders)).toEqual(new Set([kafkaFolder(environment)]));
    expect(await runs()).toBe(1);
  });

  it('leaves only the jars in the cache', async () => {
    await installMaven();
    await fetch();
    expect(await readdir(join(folder, 'cache'), { recursive: true })).toEqual([
      'kafka-4.3.1-log4j-2.25.4',
      'kafka-4.3.1-log4j-2.25.4/kafka.jar',
    ]);
  });

  it('starts again after a process that died during it', async () => {
    await installMaven();
    await mkdir(join(`${kafkaFolder(environment)}.partial`, 'libs', 'half'), { recursive: true });
    await writeFile(`${kafkaFolder(environment)}.lock`, String(await pidOfTheDead()));
    expect(await readdir(await fetch())).toEqual(['kafka.jar']);
  });

  it('names Maven and the command that installs it if it is missing', async () => {
    await expect(fetch()).rejects.toThrow(/there is no mvn here: .* install/);
  });

  it("reports Maven's error, and the next attempt can succeed", async () => {
    await installMaven(`if [ ! -e ${folder}/online ]; then echo "[ERROR] Unknown host repo"; exit 1; fi`);
    await expect(fetch()).rejects.toThrow(/exit code 1\): \[ERROR\] Unknown host repo/);
    await writeFile(join(folder, 'online'), '');
    expect(await readdir(await fetch())).toEqual(['kafka.jar']);
  });
});

async function pidOfTheDead(): Promise<number | undefined> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid;
}
