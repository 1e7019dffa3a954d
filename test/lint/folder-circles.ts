import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Imports of values and of types, and re-exports. */
const imported = /^(?:import|export)\b[^;'"]*?from '(\.[^']+)';|^import '(\.[^']+)';|\bimport\('(\.[^']+)'\)/gm;

/**
 * Folders of the product by path, each with the folders from which its files import. Tests are left out. A folder and
 * its adapters, which are in `postgres` or `http` below it, count as one. A `routes.ts` of the API counts with the files
 * of `services/api`, which alone import it: it is made of everything that they give it.
 */
export function readFolderImports(root: string): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const files = globSync('{services,shared,cli,sdk,deploy,migrations}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/generated/**', '**/*.test.ts', '**/*.test.tsx'],
  });
  for (const file of files) {
    const folder = folderOf(file);
    const used = folders.get(folder) ?? new Set();
    folders.set(folder, used);
    for (const [, from, alone, lazy] of readFileSync(path.join(root, file), 'utf8').matchAll(imported)) {
      const other = folderOf(path.join(path.dirname(file), from ?? alone ?? lazy ?? ''));
      if (other !== folder) used.add(other);
    }
  }
  return folders;
}

function folderOf(file: string): string {
  if (foundRoutes.test(file)) return 'services/api';
  return path.dirname(file).replace(/\/(postgres|http)$/, '');
}

const foundRoutes = /^services\/api\/.+\/routes\.ts$/;

/** Groups of folders that import each other, directly or not; each sorted. */
export function findCircles(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map([...imports.keys()].map((folder) => [folder, reachableFrom(folder, imports)]));
  const inOne = (a: string, b: string) => reach.get(a)?.has(b) === true && reach.get(b)?.has(a) === true;
  const circles = new Map<string, string[]>();
  for (const folder of [...imports.keys()].filter((each) => inOne(each, each))) {
    const circle = [...imports.keys()].filter((other) => inOne(folder, other)).toSorted();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

function reachableFrom(folder: string, imports: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set(imports.get(folder));
  for (const each of reached) for (const next of imports.get(each) ?? []) reached.add(next);
  return reached;
}
