import { describe, expect, it } from 'vitest';
import { createRelatedTests, importedBy, readImporters } from './related-tests.ts';

describe('the imports of a file', () => {
  it('include imports at run time, but no type imports', () => {
    const code = `import { a } from './a.ts';
import type { B } from './b.ts';
import {
  c,
  type D,
} from '../c.ts';
import './e.ts';
import path from 'node:path';
export { f } from './f.ts';
const g = await import('./g.ts');
`;
    expect([...importedBy('shared/x/file.ts', code)].toSorted()).toEqual(
      ['shared/c.ts', ...['a', 'e', 'f', 'g'].map((name) => `shared/x/${name}.ts`)].toSorted(),
    );
  });
});

describe('the tests of a file', () => {
  const file = 'services/worker/step/a.ts';
  const importers = new Map([
    [file, ['services/worker/worker.ts', 'services/worker/step/a.test.ts', 'cli/check.test.ts']],
    ['services/worker/worker.ts', ['test/support/running-worker.ts', 'services/worker/worker.test.ts']],
    [
      'test/support/running-worker.ts',
      ['test/simulation/b.test.ts', 'services/worker/c.integration.test.ts', 'services/worker/step/d.test.ts'],
    ],
  ]);

  it('are all that import it, by project, nearest first', () => {
    expect(createRelatedTests(importers)(file)).toEqual([
      { project: 'unit', file: 'services/worker/step/a.test.ts' },
      { project: 'unit', file: 'services/worker/step/d.test.ts' },
      { project: 'unit', file: 'services/worker/worker.test.ts' },
      { project: 'simulation', file: 'test/simulation/b.test.ts' },
      { project: 'integration', file: 'services/worker/c.integration.test.ts' },
    ]);
  });

  it('include the reference test for the configuration of a service', () => {
    const reference = 'cli/reference/reference.test.ts';
    const ofFile = (name: string) => createRelatedTests(new Map([[name, [reference]]]))(name);
    expect(ofFile('services/worker/config.ts')).toEqual([{ project: 'unit', file: reference }]);
    expect(ofFile('services/worker/worker.ts')).toEqual([]);
  });

  it('are empty if no test imports it', () => {
    expect(createRelatedTests(importers)('services/worker/alone.ts')).toEqual([]);
  });

  it('include the tests of the API for routes that the API finds by their file name', () => {
    const related = createRelatedTests(readImporters())('services/api/jobs/routes.ts');
    expect(related.map(({ file }) => file)).toContain('services/api/api.integration.test.ts');
  });
});
