import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationsFile, readRules, root, runbooksFile } from './rules.ts';

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();
const found = (text: string, pattern: RegExp) => sorted([...text.matchAll(pattern)].map(([, name = '']) => name));
const operations = readFileSync(operationsFile, 'utf8');
const documented = found(operations, /^\| `(muster_[a-z_]+)`/gm);

/** In comments: examples of how metrics are named, and the roles of the database. */
const notMetrics = new Set([
  ...['muster_call_duration_seconds', 'muster_calls_total'],
  ...['muster_owner', 'muster_engine', 'muster_api', 'muster_reader'],
]);

describe('metrics', () => {
  it('are all in the table of the operations page, and none that is not there', () => {
    const sources = globSync('{shared,services}/**/*.ts', { cwd: root }).filter(
      (file) => !/\.test\.ts$|console/.test(file),
    );
    const named = sources.flatMap((file) =>
      found(readFileSync(`${root}/${file}`, 'utf8'), /['"`](muster_[a-z_]+)['"`]/g),
    );
    const isMetric = (name: string) => !notMetrics.has(name);
    expect(documented.filter(isMetric)).toEqual(sorted(named.filter(isMetric)));
  });
});

describe('alerts', () => {
  it('go by metrics that there are', () => {
    const used = readRules().flatMap(({ expr }) => found(expr, /\b(muster_[a-z_]+)\b/g));
    const unknown = used.filter((name) => !documented.includes(name.replace(/_bucket$/, '')));
    expect(unknown).toEqual([]);
  });

  it('each has a runbook, and leads to it', () => {
    const headings = found(readFileSync(runbooksFile, 'utf8'), /^## (Muster\w+)$/gm);
    const rules = readRules();
    expect(headings).toEqual(sorted(rules.map(({ alert }) => alert)));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  });

  it('are all in the list of the operations page', () => {
    expect(found(operations, /^\| `(Muster\w+)`/gm)).toEqual(sorted(readRules().map(({ alert }) => alert)));
  });
});
