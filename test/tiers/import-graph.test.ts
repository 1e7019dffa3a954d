import { describe, expect, it } from 'vitest';
import { createImportGraph, type SourceTree } from './import-graph.ts';

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
  it('follows imports and paths of programs in quotes, in circles too', () => {
    expect([...graph.reachableFrom(['test/faults/a.test.ts'])].toSorted()).toEqual([
      'cli/muster.ts',
      'cli/serve.ts',
      'sdk/generated/sdk.gen.ts',
      'test/faults/a.test.ts',
      'test/receiver-main.ts',
      'test/start.ts',
    ]);
  });

  it('ends at a module that starts another program for each caller', () => {
    const ended = createImportGraph(tree, ['test/start.ts']);
    expect([...ended.reachableFrom(['test/faults/a.test.ts'])]).toEqual(['test/faults/a.test.ts', 'test/start.ts']);
  });

  it('reaches the files of a folder whose path is in quotes', () => {
    expect([...graph.reachableFrom(['test/boards.test.ts'])]).toContain('deploy/helm/values.yaml');
  });

  it('reaches the commands that the command line finds by the names of their files', () => {
    const commands = ['cli/jobs/commands.ts', 'cli/jobs/late-jobs.commands.ts'];
    const files = [...commands, 'cli/jobs/list-commands.ts', 'cli/frame/found-commands.ts'];
    const found = createImportGraph(treeOf(Object.fromEntries(files.map((file) => [file, '']))));
    expect([...found.reachableFrom(['cli/frame/found-commands.ts'])].toSorted()).toEqual(
      ['cli/frame/found-commands.ts', ...commands].toSorted(),
    );
  });
});
