import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricTables } from '../../cli/reference/metric-tables.ts';
import { clientBehindAfterMs } from '../../shared/domain/job/client-lag.ts';
import { readRules, root, runbooksFile } from './rules.ts';

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();
const found = (text: string, pattern: RegExp) => sorted([...text.matchAll(pattern)].map(([, name = '']) => name));
const runbooks = readFileSync(runbooksFile, 'utf8');
const metrics = metricTables.flatMap((table) => Object.values(table.metrics).map(({ name }) => name));

/** Names that are no metrics: a pattern in a comment, the roles of the database, and the table of actions by SQL. */
const notMetrics = /^muster_(call_duration_seconds|calls_total|owner|engine|api|reader|results) in /;

describe('metrics', () => {
  it('are listed once, in alphabetical order', () => {
    expect(metrics.toSorted()).toEqual(sorted(metrics));
  });

  it('are named only in the lists, so that none is missing from the reference', () => {
    const sources = globSync('{shared,services}/**/*.ts', { cwd: root }).filter(
      (file) => !/\.test\.ts$|console|(\/|process-)metrics\.ts$/.test(file),
    );
    const named = sources.flatMap((file) =>
      found(readFileSync(`${root}/${file}`, 'utf8'), /['"`](muster_[a-z_]+)['"`]/g).map((name) => `${name} in ${file}`),
    );
    expect(named.filter((each) => !notMetrics.test(each))).toEqual([]);
  });
});

describe('alerts', () => {
  it('use existing metrics', () => {
    const used = readRules().flatMap(({ expr }) => found(expr, /\b(muster_[a-z_]+)\b/g));
    const unknown = used.filter((name) => !metrics.includes(name.replace(/_bucket$/, '')));
    expect(unknown).toEqual([]);
  });

  it('use the lag after which the API reports a client as behind', () => {
    const [bound] = readRules().flatMap(({ alert, expr }) =>
      alert === 'MusterClientBehind' ? found(expr, /> (\d+)$/g) : [],
    );
    expect(Number(bound) * 1000).toBe(clientBehindAfterMs);
  });

  it('have a runbook and link to it', () => {
    const headings = found(runbooks, /^## (Muster\w+)$/gm);
    const rules = readRules();
    expect(headings).toEqual(sorted(rules.map(({ alert }) => alert)));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  });

  it('have the severity that their runbook names', () => {
    const named = [...runbooks.matchAll(/^## (Muster\w+)\n\n_(page|ticket)_\. /gm)].map(
      ([, alert = '', severity = '']) => `${alert} ${severity}`,
    );
    expect(sorted(named)).toEqual(sorted(readRules().map(({ alert, labels }) => `${alert} ${labels.severity}`)));
  });
});
