import { describe, expect, it } from 'vitest';
import { root } from './commands.ts';
import { createImportGraph, readTree, type SourceTree } from './import-graph.ts';

const treeOf = (files: Record<string, string>): SourceTree => ({
  read: (file) => files[file],
  filesBelow: (folder) => Object.keys(files).filter((file) => file.startsWith(`${folder}/`)),
});

const tree = treeOf({
  'test/faults/a.test.ts': "import { start } from '../start.ts';\nimport type { Row } from '../../shared/row.ts';",
  'test/start.ts': "const args = ['cli/muster.ts', 'up'];\nfork(join(import.meta.dirname, 'receiver-main.ts'));",
  'test/receiver-main.ts': "export * from '#client/sdk.gen.ts';",
  'test/boards.test.ts': "const boards = path.join(root, 'deploy/helm');",
  'cli/muster.ts': "const { serve } = await import('./serve.ts');",
  'cli/serve.ts': "import '../cli/muster.ts';",
  'sdk/generated/sdk.gen.ts': '',
  'shared/row.ts': '',
  'deploy/helm/values.yaml': '',
});
const graph = createImportGraph(tree);

describe('the import graph', () => {
  it('follows imports and quoted paths of programs, also in circles', () => {
    expect([...graph.reachableFrom(['test/faults/a.test.ts'])].toSorted()).toEqual([
      'cli/muster.ts',
      'cli/serve.ts',
      'sdk/generated/sdk.gen.ts',
      'test/faults/a.test.ts',
      'test/receiver-main.ts',
      'test/start.ts',
    ]);
  });

  it('stops at a module that starts another program for each caller', () => {
    const ended = createImportGraph(tree, ['test/start.ts']);
    expect([...ended.reachableFrom(['test/faults/a.test.ts'])]).toEqual(['test/faults/a.test.ts', 'test/start.ts']);
  });

  it('includes the files of a folder whose path is quoted', () => {
    expect([...graph.reachableFrom(['test/boards.test.ts'])]).toContain('deploy/helm/values.yaml');
  });

  it('includes the files that a module finds by name', () => {
    const files = Object.entries(foundFiles).flat(2);
    const graph = createImportGraph(treeOf(Object.fromEntries(files.map((file) => [file, '']))));
    for (const [module, found] of Object.entries(foundFiles))
      expect([...graph.reachableFrom([module])].toSorted()).toEqual([module, ...found].toSorted());
  });

  it('includes every product file that has code at run time', () => {
    const tree = readTree(root);
    const files = ['services', 'shared', 'cli', 'migrations', 'test'].flatMap((folder) => tree.filesBelow(folder));
    const isTest = (file: string) => /\.test\.tsx?$/.test(file);
    const reached = createImportGraph(tree).reachableFrom(files.filter(isTest));
    const isOutside = (file: string) => /^test\/|\/sdk\/|vite\.config/.test(file) || !/\.(?:tsx?|sql)$/.test(file);
    const unreached = files.filter((file) => !isOutside(file) && !reached.has(file));
    expect(unreached.filter((file) => hasCode(tree.read(file) ?? ''))).toEqual([]);
  });
});

/** Modules that find files by their names, with files that they find. */
const foundFiles = {
  'cli/frame/found-commands.ts': ['cli/jobs/commands.ts', 'cli/jobs/late-jobs.commands.ts'],
  'services/api/api.ts': ['services/api/jobs/routes.ts', 'services/api/audiences/lists/routes.ts'],
  'services/console/src/router.ts': ['services/console/src/views/job/route.ts'],
  'shared/postgres/connection/migrate.ts': ['migrations/1_schema.ts', 'migrations/1_schema/jobs.sql'],
};

/** Modules without it hold types only, which tests import without a trace at run time. */
function hasCode(source: string): boolean {
  return /^(?:export )?(?:async )?(?:function|const|class|enum)\b|^create /m.test(source);
}
