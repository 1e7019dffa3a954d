import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRoutesFiles, tagsOf } from './routes-files.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'muster-routes-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), text);
}

describe('files named routes.ts', () => {
  it('are found in all folders, sorted by path', async () => {
    for (const file of ['b/routes.ts', 'a/b/routes.ts', 'a/routes.ts'])
      await write(file, 'export function routes() {}');
    await write('a/other-routes.ts', 'export function routes() {}');
    expect((await findRoutesFiles(folder)).map(({ file }) => file)).toEqual([
      'a/b/routes.ts',
      'a/routes.ts',
      'b/routes.ts',
    ]);
  });

  it('provide the tags that they describe', async () => {
    const tag = { name: 'rewinds', description: 'Runs that go backwards' };
    await write('a/routes.ts', `export function routes() {}\nexport const tags = [${JSON.stringify(tag)}];`);
    await write('b/routes.ts', 'export function routes() {}');
    expect((await findRoutesFiles(folder)).map(({ tags }) => tags)).toEqual([[tag], []]);
  });

  it.each([
    ['export const tags = [];', /has to be a function\n *→ at routes$/],
    ['export const routes = 1;', /has to be a function\n *→ at routes$/],
    ['export function routes() {}\nexport const openRoutes = 1;', /has to be a function\n *→ at openRoutes$/],
    ['export function routes() {}\nexport const tags = [{ name: "x" }];', /→ at tags\[0\]\.description$/],
    ['export function routes() {}\nexport const tag = [];', /Unrecognized key: "tag"$/],
  ])('are refused with their path and the wrong export: %j', async (text, message) => {
    await write('a/routes.ts', text);
    await expect(findRoutesFiles(folder)).rejects.toThrow('a/routes.ts is not a routes file:');
    await expect(findRoutesFiles(folder)).rejects.toThrow(message);
  });
});

describe('tags', () => {
  const file = (name: string, ...tags: string[]) => ({
    file: `${name}/routes.ts`,
    tags: tags.map((tag) => ({ name: tag, description: `About ${tag}` })),
  });

  it('are in alphabetical order, whichever file describes them', () => {
    const names = tagsOf([file('a', 'runs', 'approvals'), file('b', 'jobs')]).map(({ name }) => name);
    expect(names).toEqual(['approvals', 'jobs', 'runs']);
  });

  it('are refused if two files describe the same tag', () => {
    expect(() => tagsOf([file('a', 'runs'), file('b', 'jobs', 'runs')])).toThrow(
      'the tag "runs" is described by a/routes.ts and by b/routes.ts',
    );
  });
});
