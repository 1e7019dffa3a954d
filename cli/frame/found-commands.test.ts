import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCommandFiles, loadAllCommands } from './found-commands.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-commands-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text = ''): void {
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

const exportsOf = (heading: string, name: string) =>
  `export const heading = '${heading}';\nexport const commands = { name: '${name}', addTo: () => undefined };\n`;

const find = () => findCommandFiles(pathToFileURL(`${folder}/`));

describe('a file of commands', () => {
  it('provides the command named after its folder, or after the file name before .commands.ts', () => {
    write('jobs/commands.ts');
    write('jobs/late-jobs.commands.ts');
    write('jobs/list-commands.ts');
    write('jobs/late-jobs.commands.test.ts');
    write('program.commands.ts');
    expect([...find().keys()].toSorted()).toEqual(['jobs', 'late-jobs']);
  });

  it('is rejected, with both paths, if another file provides the same command', () => {
    write('jobs/commands.ts');
    write('work/jobs.commands.ts');
    expect(find).toThrow(/both .*jobs\/commands\.ts and .*work\/jobs\.commands\.ts serve "muster jobs"/);
  });

  it.each([
    ['exports nothing', ''],
    ['exports no heading', "export const commands = { name: 'jobs', addTo: () => undefined };\n"],
    ['has a heading that does not exist in the help', exportsOf('Odds and ends', 'jobs')],
  ])('is rejected with its path if it %s', async (_name, text) => {
    write('jobs/commands.ts', text);
    await expect(loadAllCommands(find())).rejects.toThrow(/jobs\/commands\.ts does not export commands and a heading/);
  });

  it('is rejected with its path if it exports the command of another name', async () => {
    write('jobs/commands.ts', exportsOf('Callbacks', 'job'));
    await expect(loadAllCommands(find())).rejects.toThrow(
      /jobs\/commands\.ts serves "muster jobs", but exports "muster job"/,
    );
  });
});

describe('all commands', () => {
  it('are sorted by heading, and by name under each heading', async () => {
    write('a/commands.ts', exportsOf('Access', 'a'));
    write('b/c.commands.ts', exportsOf('Runs', 'c'));
    write('b/commands.ts', exportsOf('Runs', 'b'));
    expect((await loadAllCommands(find())).map(({ commands }) => commands.name)).toEqual(['b', 'c', 'a']);
  });
});
