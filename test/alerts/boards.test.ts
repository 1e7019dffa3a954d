import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { boards } from '../../deploy/grafana/boards.ts';
import { renderBoard } from '../../deploy/grafana/render-board.ts';
import { metricTables } from '../../cli/reference/metric-tables.ts';
import { root } from './rules.ts';

const folder = path.join(root, 'deploy/helm/muster/dashboards');
/** Kind and labels of each metric. */
const documented = new Map(
  metricTables
    .flatMap(({ metrics }) => Object.values(metrics))
    .map(({ name, kind, labelNames = [] }) => [name, { kind, labels: labelNames }]),
);
/** Prometheus gives these to each series. */
const ofEverySeries = ['instance', 'job', 'le'];

const queries = boards.flatMap(({ uid, sections, choices }) =>
  sections.flatMap(({ panels }) =>
    panels.flatMap(({ title, queries: ofPanel }) =>
      ofPanel.map((query) => ({ ...query, choices, name: `${uid}: ${title}: ${query.legend}` })),
    ),
  ),
);

const metricsOf = (expr: string) => [...expr.matchAll(/\bmuster_[a-z_]+\b/g)].map(([name]) => name);
const withoutSuffix = (name: string) => name.replace(/_(bucket|count|sum)$/, '');
const named = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].flatMap(([, names = '']) => names.split(/, */));

describe('dashboards', () => {
  it('match their generated files (fix: npm run dashboards)', () => {
    expect(readdirSync(folder).toSorted()).toEqual(boards.map(({ uid }) => `${uid}.json`).toSorted());
    for (const board of boards)
      expect(readFileSync(path.join(folder, `${board.uid}.json`), 'utf8')).toBe(renderBoard(board));
  });

  it('show exactly the documented metrics', () => {
    const displayed = new Set(queries.flatMap(({ expr }) => metricsOf(expr).map(withoutSuffix)));
    expect([...displayed].toSorted()).toEqual([...documented.keys()].toSorted());
  });

  it.each(queries)('contain a query of $name that uses only labels of its metrics', ({ expr, legend }) => {
    const known = new Set([
      ...ofEverySeries,
      ...metricsOf(expr).flatMap((name) => documented.get(withoutSuffix(name))?.labels ?? []),
    ]);
    const grouped = named(expr, /\bby \(([^)]*)\)/g);
    const used = [...grouped, ...named(expr, /(\w+)=~?"/g), ...named(legend, /\{\{(\w+)\}\}/g)];
    expect(used.filter((label) => !known.has(label))).toEqual([]);
    // Labels in the legend of a chart have to be labels that the sum keeps.
    if (grouped.length > 0) expect(grouped).toEqual(expect.arrayContaining(named(legend, /\{\{(\w+)\}\}/g)));
  });

  it.each(queries)('contain a query of $name that uses rate() for counters only', ({ expr }) => {
    for (const name of metricsOf(expr)) {
      const counts = documented.get(withoutSuffix(name))?.kind !== 'gauge';
      expect(expr.includes(`rate(${name}`), name).toBe(counts);
    }
  });

  it.each(queries)('contain a query of $name that filters only by variables of its dashboard', ({ expr, choices }) => {
    const chosen = named(expr, /"\$(\w+)"/g);
    expect(chosen.filter((label) => !(label in choices))).toEqual([]);
  });
});
