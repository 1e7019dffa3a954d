import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesFoundBy } from '../tiers/found-files.ts';
import type { TestFile } from './kept-vitest-messages.ts';
import { root } from './sources.ts';

/** Imports and re-exports of values: `import type` is gone at run time. */
const imports = [
  /^(?:import|export) (?!type\b)[^;'"]*?from '(\.[^']+)';/gm,
  /^import '(\.[^']+)';/gm,
  /\bimport\('(\.[^']+)'\)/g,
];

export const testProjects = ['unit', 'simulation', 'integration'] as const;

export type TestProject = (typeof testProjects)[number];

/**
 * Projects as in `vitest.config.ts`, in the order in which they run. Unit tests of the command line are left out: they
 * import each service for its configuration and start none, so they would test only the configuration.
 */
const patterns = [
  { project: 'unit', tests: /^(shared|services)\/.*(?<!\.integration)\.test\.ts$/ },
  { project: 'simulation', tests: /^test\/simulation\/.*\.test\.ts$/ },
  { project: 'integration', tests: /\.integration\.test\.ts$/ },
];

const configuration = /^services\/\w+\/config\.ts$/;
const configurationTest = 'cli/reference/reference.test.ts';

/** A test of the same folder is mostly about the file, also if it imports it through a fixture. */
const folderWeight = 2;

/** Returns the tests that import a file, directly or transitively, nearest first by imports and folders. */
export type RelatedTests = (file: string) => TestFile[];

export function createRelatedTests(
  importers: ReadonlyMap<string, readonly string[]>,
  projects: readonly TestProject[] = testProjects,
): RelatedTests {
  const wanted = patterns.filter(({ project }) => projects.some((each) => each === project));
  return (file) => {
    const distances = distancesFrom(file, importers);
    const isOfConfiguration = (test: string) => test === configurationTest && configuration.test(file);
    const rank = (test: string) =>
      isOfConfiguration(test) ? -Infinity : (distances.get(test) ?? 0) - folderWeight * sharedFolders(test, file);
    const nearest = [...distances.keys()].toSorted((a, b) => rank(a) - rank(b));
    return wanted.flatMap(({ project, tests }) =>
      nearest
        .filter((each) => tests.test(each) || (project === 'unit' && isOfConfiguration(each)))
        .map((each) => ({ project, file: each })),
    );
  };
}

/** Reads which files import which, by the imported file. */
export function readImporters(): Map<string, string[]> {
  const files = globSync('{services,shared,cli,test}/**/*.ts', {
    cwd: root,
    exclude: ['services/console/**', '**/node_modules/**'],
  });
  const filesBelow = (folder: string) => files.filter((file) => file.startsWith(`${folder}/`));
  const importers = new Map<string, string[]>();
  for (const file of files.toSorted()) {
    const imported = importedBy(file, readFileSync(path.join(root, file), 'utf8'));
    for (const each of [...imported, ...filesFoundBy(file, filesBelow)])
      importers.set(each, [...(importers.get(each) ?? []), file]);
  }
  return importers;
}

export function importedBy(file: string, text: string): Set<string> {
  const paths = imports.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = '']) => found));
  return new Set(paths.map((found) => path.join(path.dirname(file), found)));
}

function distancesFrom(file: string, importers: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const distances = new Map([[file, 0]]);
  // A map also iterates over entries that are added meanwhile, in the order of insertion. This search is breadth-first.
  for (const [each, distance] of distances) {
    for (const importer of importers.get(each) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  return distances;
}

function sharedFolders(a: string, b: string): number {
  const [ofA, ofB] = [path.dirname(a).split('/'), path.dirname(b).split('/')];
  const differing = ofA.findIndex((folder, depth) => folder !== ofB[depth]);
  return differing === -1 ? ofA.length : differing;
}
