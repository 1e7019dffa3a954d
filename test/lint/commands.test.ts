import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addCommands, loadAllCommands } from '../../cli/frame/found-commands.ts';
import { createSession } from '../../cli/frame/session.ts';
import { createTestTerminal } from '../../cli/frame/test-terminal.ts';
import { createProgram } from '../../cli/program.ts';
import { root } from '../tiers/commands.ts';

const program = createProgram();
const session = createSession({
  terminal: createTestTerminal(),
  environment: {},
  input: Readable.from([]),
  onInterrupt: () => new AbortController().signal,
});
addCommands(program, await loadAllCommands(), session);

/** Pages and views that name a command. `docs/reference` is written from the commands themselves. */
const texts = globSync(['services/console/src/**/*.{ts,tsx}', 'README.md', 'docs/**/*.md', 'sdk/README.md'], {
  cwd: root,
  exclude: (name) => name.includes('.test.') || name === 'decisions' || name === 'reference',
})
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
  .filter(({ text }) => /\bmuster [a-z-]/.test(text));

/** Returns the words of a command line up to the first that names no command, or undefined if all of them do. */
function unknownCommand(words: readonly string[]): string | undefined {
  let command: Command = program;
  for (const [place, word] of words.entries()) {
    if (command.commands.length === 0 || !/^[a-z][a-z-]*$/.test(word)) return undefined;
    const found = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!found) return words.slice(0, place + 1).join(' ');
    command = found;
  }
  return undefined;
}

describe('a command named in a page or in the console', () => {
  it.each(texts)('exists: $file', ({ text }) => {
    const named = /(?:["`]|<code>|^ *|\$\()(?:npm run -s )?muster ((?:-- )?[a-z][^"`<\n]*)/gm;
    const lines = [...text.matchAll(named)].map(([, line = '']) => line.replace(/^-- /, '').split(/[\s,.;:]+/));
    expect(lines.map(unknownCommand).filter((words) => words !== undefined)).toEqual([]);
  });
});
