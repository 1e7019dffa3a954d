import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Package names by package manager. Debian's `default-jre` is 17 or newer since release 12. */
const packages = {
  'apt-get': { java: 'default-jre-headless', maven: 'maven', redis: 'redis-server', install: 'apt-get install -y' },
  dnf: { java: 'java-21-openjdk-headless', maven: 'maven', redis: 'redis', install: 'dnf install -y' },
  apk: { java: 'openjdk21-jre-headless', maven: 'maven', redis: 'redis', install: 'apk add' },
  pacman: { java: 'jre21-openjdk-headless', maven: 'maven', redis: 'redis', install: 'pacman -S' },
  brew: { java: 'openjdk@21', maven: 'maven', redis: 'redis', install: 'brew install' },
} as const;

const managers = ['apt-get', 'dnf', 'apk', 'pacman', 'brew'] as const;

export function installCommand(what: 'java' | 'maven' | 'redis', environment: NodeJS.ProcessEnv): string {
  const manager = managers.find((name) => findCommand(name, environment)) ?? 'apt-get';
  return `${packages[manager].install} ${packages[manager][what]}`;
}

export function findCommand(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
