import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Matches imports of values and of types, and re-exports. */
const imported = /^(?:import|export)\b[^;'"]*?from '(\.[^']+)';|^import '(\.[^']+)';|\bimport\('(\.[^']+)'\)/gm;

/**
 * Returns the folders of the product, each with the folders that its files import. Tests are left out. A folder and its
 * adapters in `postgres` or `http` below it count as one. A `routes.ts` of the API counts as a file of `services/api`,
 * because only `services/api` imports it.
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

/** Returns groups of folders that import each other, directly or transitively, each sorted. */
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
