import { createImportGraph, type SourceTree } from './import-graph.ts';
import type { RestFile } from './rest-files.ts';
import { findStartedServices, mainOf, serviceStarter } from './started-services.ts';

/** A changed file behind a service that the test starts but does not name counts less: each test starts several. */
const weightOfStarted = 0.25;
/** A changed test comes before every test that only reaches changed files. */
export const rankOfItself = 1_000_000;

/** The console is no import of a test: a page in the browser loads it. */
const consoleMain = 'services/console/src/main.tsx';

/**
 * Returns for each test file how many of the changed files it reaches, by imports, by paths of programs and through
 * the services that it starts. Files that reach none are absent.
 */
export function rankTouched(
  files: readonly RestFile[],
  changed: ReadonlySet<string>,
  tree: SourceTree,
): ReadonlyMap<string, number> {
  if (changed.size === 0) return new Map();
  const graph = createImportGraph(tree, [serviceStarter]);
  const changedIn = (reached: ReadonlySet<string>) => new Set([...reached].filter((file) => changed.has(file)));
  const rankOf = ({ tier, file }: RestFile) => {
    const reached = graph.reachableFrom([file]);
    const { named, started } = findStartedServices(file, reached, tree.read);
    const near = changedIn(
      graph.reachableFrom([file, ...named.map(mainOf), ...(tier === 'browser' ? [consoleMain] : [])]),
    );
    const far = changedIn(reached.has(serviceStarter) ? graph.reachableFrom(started.map(mainOf)) : new Set());
    const onlyFar = [...far].filter((each) => !near.has(each)).length;
    return (near.has(file) ? rankOfItself : 0) + near.size + onlyFar * weightOfStarted;
  };
  return new Map(files.map((file) => [file.file, rankOf(file)] as const).filter(([, rank]) => rank > 0));
}
