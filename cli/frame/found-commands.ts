import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { CommandRow } from './command-table.ts';
import { headings, type Heading } from './headings.ts';
import type { Session } from './session.ts';

/** Exports of a command file: the command, and its heading in `muster --help`. */
export interface FoundCommand {
  heading: Heading;
  commands: CommandRow;
}

const ownFolder = new URL('../', import.meta.url);

/**
 * Finds the command file of each first word without loading it: `<folder>/commands.ts` for the word `<folder>`, and
 * `<folder>/<word>.commands.ts` for the word `<word>`.
 * @throws {Error} if two files serve one word
 */
export function findCommandFiles(root: URL = ownFolder): Map<string, URL> {
  const files = new Map<string, URL>();
  for (const folder of readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const inFolder = new URL(`${folder.name}/`, root);
    for (const name of readdirSync(inFolder)) {
      const word = name === 'commands.ts' ? folder.name : /^(.+)\.commands\.ts$/.exec(name)?.[1];
      if (word === undefined) continue;
      const file = new URL(name, inFolder);
      const other = files.get(word);
      if (other) throw new Error(`both ${fileURLToPath(other)} and ${fileURLToPath(file)} serve "muster ${word}"`);
      files.set(word, file);
    }
  }
  return files;
}

/**
 * Loads the command file of a first word.
 * @throws {Error} if the file lacks an export, or exports the command of another word
 */
export async function loadCommand(word: string, file: URL): Promise<FoundCommand> {
  const loaded: unknown = await import(file.href);
  if (!isFoundCommand(loaded))
    throw new Error(`${fileURLToPath(file)} does not export commands and a heading of cli/frame/headings.ts`);
  const { name } = loaded.commands;
  if (name !== word) throw new Error(`${fileURLToPath(file)} serves "muster ${word}", but exports "muster ${name}"`);
  return loaded;
}

/** Loads all command files, in the order of help: by heading, then by name. */
export async function loadAllCommands(files = findCommandFiles()): Promise<FoundCommand[]> {
  const words = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const loaded = await Promise.all(words.map(([word, file]) => loadCommand(word, file)));
  return headings.flatMap((heading) => loaded.filter((found) => found.heading === heading));
}

export function addCommands(program: Command, found: readonly FoundCommand[], session: Session): void {
  for (const { heading, commands } of found) {
    program.commandsGroup(`${heading}:`);
    commands.addTo(program, session);
  }
  program.commandsGroup('Help:').helpCommand(true);
}

function isFoundCommand(loaded: unknown): loaded is FoundCommand {
  if (typeof loaded !== 'object' || loaded === null || !('heading' in loaded) || !('commands' in loaded)) return false;
  const { heading, commands } = loaded;
  return headings.some((each) => each === heading) && isCommandRow(commands);
}

function isCommandRow(value: unknown): value is CommandRow {
  return typeof value === 'object' && value !== null && 'name' in value && 'addTo' in value;
}
