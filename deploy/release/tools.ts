import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

const hints = {
  git: 'install git',
  npm: 'install Node.js, which brings it',
  docker:
    'install Docker with buildx (docs.docker.com/engine/install), and once, for several platforms at a time: ' +
    'docker buildx create --use --driver docker-container',
  python3: 'install Python 3.10 or newer, with pip',
  mvn: 'install Maven and a JDK of Java 17 or newer',
  helm: 'install Helm 3.16 or newer (helm.sh/docs/intro/install), or let HELM say where it is',
} as const;

export type Tool = keyof typeof hints;

/** Returns a hint for each tool that is not on the path. */
export function toolProblems(environment: NodeJS.ProcessEnv, tools: readonly Tool[]): string[] {
  return tools
    .filter((tool) => !isThere(commandOf(tool, environment), environment['PATH'] ?? ''))
    .map((tool) => `${commandOf(tool, environment)} is not there: ${hints[tool]}`);
}

/** Returns the command of a tool: its name, or a value from the environment if permitted. */
export function commandOf(tool: Tool, environment: NodeJS.ProcessEnv): string {
  return (tool === 'helm' ? environment['HELM'] : undefined) ?? tool;
}

function isThere(command: string, searched: string): boolean {
  if (command.includes(path.sep)) return isExecutable(command);
  return searched.split(path.delimiter).some((folder) => isExecutable(path.join(folder, command)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
