import { globSync, readFileSync } from 'node:fs';
import type { Result } from './results.ts';

const mention = /\brows? (\d+)(?: (to|and) (\d+))?/g;

/** The rows of the table of faults that the name of a test says it shows. */
export function rowsIn(name: string): number[] {
  return [...name.matchAll(mention)].flatMap(([, first, word, last]) => {
    const from = Number(first);
    if (last === undefined) return [from];
    return word === 'and' ? [from, Number(last)] : Array.from({ length: Number(last) - from + 1 }, (_, n) => from + n);
  });
}

const tiersOfRows = ['faults', 'failover', 'e2e'];

/** All rows that the tests of these tiers name. */
export function namedRows(root: string, tiers: readonly string[] = tiersOfRows): number[] {
  const sources = tiers
    .flatMap((tier) => globSync(`test/${tier}/*.test.ts`, { cwd: root }))
    .map((file) => readFileSync(`${root}/${file}`, 'utf8'));
  return [...new Set(sources.flatMap(rowsIn))].toSorted((a, b) => a - b);
}

/** Renders the outcome of the tests of each row. */
export function renderRows(results: readonly Result[], rows: readonly number[]): string {
  const tests = results
    .filter((line) => line.kind === 'test')
    .filter(({ tier }) => tiersOfRows.includes(tier))
    .map((one) => ({ ...one, rows: rowsIn(one.name) }));
  return rows
    .map((row) => {
      const of = tests.filter((one) => one.rows.includes(row));
      const failed = of.filter(({ state }) => state !== 'passed').length;
      const name = `row ${row}`.padEnd(7);
      if (of.length === 0) return `${name} not reached`;
      return `${name} ${(failed > 0 ? 'FAILED' : 'passed').padEnd(12)} ${of.length - failed} passed, ${failed} failed`;
    })
    .join('\n');
}
