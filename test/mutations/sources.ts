import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mutation } from './mutation.ts';

export const root = path.resolve(import.meta.dirname, '../..');

/** Returns the sources of the product by path, without its tests. */
export function readSources(): Map<string, string> {
  const files = globSync(['{services,shared,cli,migrations}/**/*.{ts,sql}'], {
    cwd: root,
    exclude: ['services/console/**', '**/*.test.ts', '**/node_modules/**'],
  });
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** Paths of the test files that listed mutations may name, by project. */
export const testFiles = {
  unit: globSync('{shared,services,cli}/**/*.test.ts', { cwd: root, exclude: ['**/*.integration.test.ts'] }),
  integration: globSync('{shared,services,cli,test}/**/*.integration.test.ts', { cwd: root }),
};

/** @throws if the text does not occur exactly once in the sources */
export function fileOf(sources: ReadonlyMap<string, string>, text: string): string {
  const holding = [...sources].flatMap(([file, source]) => Array<string>(source.split(text).length - 1).fill(file));
  const [file] = holding;
  if (file === undefined || holding.length > 1) {
    throw new Error(`this stands ${holding.length} times, in [${holding.join(', ')}], and not once:\n${text}`);
  }
  return file;
}

/** Returns the sources of the files that a mutation changes, as it leaves them, by path. */
export function applyEdits(edits: Mutation['edits'], sources: ReadonlyMap<string, string>): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { text, replacement } of edits) {
    const file = fileOf(sources, text);
    const before = changed.get(file) ?? sources.get(file) ?? '';
    changed.set(
      file,
      before.replace(text, () => replacement),
    );
  }
  return changed;
}
