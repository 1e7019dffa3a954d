import { describe, expect, it } from 'vitest';
import { root } from './commands.ts';
import { readTree } from './import-graph.ts';
import { rankTouched } from './rank-touched.ts';
import { comparesTimes, listRestFiles } from './rest-files.ts';

const files = listRestFiles(root);
const tree = readTree(root);
const rankedBy = (...changed: string[]) => rankTouched(files, new Set(changed), tree);
const fault = (name: string) => `test/faults/${name}.test.ts`;

describe('the rank of a test by the changed files', () => {
  it('prefers tests that break workers to callback tests if the worker has changed', () => {
    const ranks = rankedBy('services/worker/worker.ts');
    expect(ranks.get(fault('killed-workers'))).toBe(1);
    expect(ranks.get(fault('dispatchers'))).toBeUndefined();
    expect(ranks.get(fault('callbacks-network'))).toBeUndefined();
  });

  it('prefers tests that break dispatchers, then tests that only start one, if the dispatcher has changed', () => {
    const ranks = rankedBy('services/dispatcher/dispatcher.ts');
    expect(ranks.get(fault('dispatchers'))).toBe(1);
    expect(ranks.get(fault('callbacks-postgres'))).toBe(0.25);
    expect(ranks.get(fault('killed-workers'))).toBeUndefined();
  });

  it('prefers browser tests if the console has changed', () => {
    const ranks = rankedBy('services/console/src/app.tsx');
    expect(ranks.get('test/browser/states.test.ts')).toBe(1);
    expect(ranks.get(fault('killed-workers'))).toBeUndefined();
  });

  it('prefers a changed test to all others', () => {
    const ranks = rankedBy(fault('group'), 'services/worker/worker.ts', 'services/trigger/main.ts');
    expect([...ranks].toSorted(([, a], [, b]) => b - a)[0]?.[0]).toBe(fault('group'));
  });

  it('covers rules and dashboards through the folder that a test reads', () => {
    expect(rankedBy('deploy/helm/muster/values.yaml').get('test/chart/chart.test.ts')).toBe(1);
  });

  it('is absent without a change', () => {
    expect(rankedBy().size).toBe(0);
  });
});

describe('a fault file that compares times', () => {
  it.each(['undisturbed(seconds.without)', 'quantile(alone, 0.99)', 'const p99 = 1', 'alone.rate'])(
    'is recognised by its helper or figure: %s',
    (source) => expect(comparesTimes(source)).toBe(true),
  );

  it('runs exclusively', () => {
    const alone = files.filter((file) => file.alone === true).map(({ file }) => file);
    expect(alone).toEqual(expect.arrayContaining(['neighbours', 'topics', 'slow-workers', 'strangers'].map(fault)));
    expect(alone).not.toContain(fault('poison'));
  });
});
