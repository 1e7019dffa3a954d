import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findJava, parseJavaVersion } from './java.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'muster-java-test-'));
});
afterEach(() => rm(home, { recursive: true }));

/** Installs a `java` that prints this text and does nothing else. */
async function installJava(reported: string, exitCode = 0): Promise<void> {
  await mkdir(join(home, 'bin'));
  const command = join(home, 'bin', 'java');
  await writeFile(command, `#!/bin/sh\ncat >&2 <<'END'\n${reported}\nEND\nexit ${exitCode}\n`);
  await chmod(command, 0o755);
}

describe('parseJavaVersion', () => {
  it.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['openjdk version "26" 2026-03-17', 26],
    ['java version "1.8.0_402"', 8],
    ['The operation couldn’t be completed. Unable to locate a Java Runtime.', undefined],
  ])('reads the output %s', (report, version) => {
    expect(parseJavaVersion(report)).toBe(version);
  });
});

describe('findJava', () => {
  it('returns the Java of JAVA_HOME', async () => {
    await installJava('openjdk version "21.0.2" 2024-01-16');
    expect(await findJava({ JAVA_HOME: home })).toEqual({ command: join(home, 'bin', 'java'), version: 21 });
  });

  it('rejects a Java that is too old for Kafka, with the command that installs another', async () => {
    await installJava('openjdk version "11.0.2" 2019-01-15');
    await expect(findJava({ PATH: join(home, 'bin') })).rejects.toThrow(/17 or newer.*is Java 11: .* install/);
  });

  it('reports a missing Java if the java command only prints that none is installed', async () => {
    await installJava('Unable to locate a Java Runtime.', 1);
    await expect(findJava({ PATH: join(home, 'bin') })).rejects.toThrow(/there is no Java here: .* install/);
  });

  it('reports a missing Java if PATH has none', async () => {
    await expect(findJava({ PATH: home })).rejects.toThrow(/there is no Java here/);
  });

  it('names a JAVA_HOME without Java', async () => {
    await expect(findJava({ JAVA_HOME: home })).rejects.toThrow(`JAVA_HOME=${home}: there is no`);
  });
});
