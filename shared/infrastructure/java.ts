import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { findCommand, installCommand } from './install-hints.ts';

export const oldestJava = 17;

/** Finds the `java` of JAVA_HOME, else of PATH. Throws an error of one line if it is missing or too old for Kafka 4. */
export async function findJava(environment: NodeJS.ProcessEnv): Promise<{ command: string; version: number }> {
  const install = `${installCommand('java', environment)}, or set JAVA_HOME`;
  const command = javaCommand(environment);
  const version = command === undefined ? undefined : await javaVersion(command);
  if (command === undefined || version === undefined) {
    throw new ConfigurationError(`Kafka needs Java ${oldestJava} or newer, and there is no Java here: ${install}`);
  }
  if (version < oldestJava) {
    throw new ConfigurationError(
      `Kafka needs Java ${oldestJava} or newer, and ${command} is Java ${version}: ${install}`,
    );
  }
  return { command, version };
}

function javaCommand(environment: NodeJS.ProcessEnv): string | undefined {
  const home = environment['JAVA_HOME'];
  if (home !== undefined && home !== '') {
    const command = join(home, 'bin', 'java');
    if (!existsSync(command)) throw new ConfigurationError(`JAVA_HOME=${home}: there is no ${command}`);
    return command;
  }
  return findCommand('java', environment);
}

/** Returns undefined if the command does not run: macOS has a `java` that only reports a missing Java. */
async function javaVersion(command: string): Promise<number | undefined> {
  const output = await new Promise<string>((resolve) => {
    execFile(command, ['-version'], { timeout: 20_000 }, (error, _stdout, stderr) => resolve(error ? '' : stderr));
  });
  return parseJavaVersion(output);
}

/** Returns the feature number from `java -version`: 17 for `version "17.0.15"`, 8 for `version "1.8.0_402"`. */
export function parseJavaVersion(output: string): number | undefined {
  const found = /version "(?:1\.)?(\d+)/.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}
