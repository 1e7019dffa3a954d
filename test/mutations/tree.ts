import { cp, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Mutation } from './mutation.ts';
import { applyEdits, readSources, root } from './sources.ts';

/**
 * Copies this checkout into a folder of its own, which uses the same packages.
 * @param parts files and folders of it
 */
export async function copyTree(parts: readonly string[]): Promise<string> {
  const tree = await mkdtemp(path.join(tmpdir(), 'muster-mutations-'));
  // Packages of folders that have their own `node_modules` are large, and no test here uses them.
  const filter = (from: string) => path.basename(from) !== 'node_modules';
  for (const name of parts) await cp(path.join(root, name), path.join(tree, name), { recursive: true, filter });
  await symlink(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  return tree;
}

/** Writes a mutation's edits into a copied tree. @returns the files that it changed */
export async function writeEdits(
  tree: string,
  edits: Mutation['edits'],
  sources: ReadonlyMap<string, string> = readSources(),
): Promise<string[]> {
  const changed = applyEdits(edits, sources);
  for (const [file, source] of changed) await writeFile(path.join(tree, file), source);
  return [...changed.keys()];
}
