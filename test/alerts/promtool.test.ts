import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { boards } from '../../deploy/grafana/boards.ts';
import { faults, well, type Series } from './cases.ts';
import { readRules, rulesFile } from './rules.ts';

/** Long enough for every `for:` and every range. */
const after = '7h';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'muster-alerts-'));
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * `promtool` comes with Debian's package `prometheus`.
 * @throws what promtool says
 */
async function promtool(...args: string[]): Promise<void> {
  try {
    await promisify(execFile)('promtool', args);
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && 'stderr' in error)
      throw new Error(`${String(error.stdout)}${String(error.stderr)}${error.message}`, { cause: error });
    throw error;
  }
}

/** @param firing the alerts that fire over these series, and no other does */
async function expectFiring(series: Series, firing: readonly string[]): Promise<void> {
  const test = {
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: after,
            exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const file = path.join(folder, `${firing[0] ?? 'well'}.yml`);
  await writeFile(file, stringify(test));
  await promtool('test', 'rules', file);
}

describe('alerts', () => {
  it('are valid Prometheus rules', () => promtool('check', 'rules', rulesFile));

  it('do not fire in a healthy installation', () => expectFiring(well, []));

  it('each have a test fault', () => {
    expect(Object.keys(faults).toSorted()).toEqual(
      readRules()
        .map(({ alert }) => alert)
        .toSorted(),
    );
  });

  it.each(Object.entries(faults))('include %s, the only alert that fires on its fault', async (alert, fault) => {
    const series = Object.entries({ ...well, ...fault });
    const there = series.filter((each): each is [string, string] => each[1] !== null);
    await expectFiring(Object.fromEntries(there), [alert]);
  });

  it('are detected if they fire without an expected fault (control)', async () => {
    await expect(expectFiring({ ...well, muster_schedules_broken: '1x480' }, [])).rejects.toThrow(
      'MusterSchedulesBroken',
    );
  });
});

describe('dashboards', () => {
  /** Grafana's own variables are filled in by it. */
  const filledIn = (expr: string) => expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*');

  it('contain only valid Prometheus queries', async () => {
    const rules = boards.flatMap(({ sections }) =>
      sections.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => filledIn(expr)))),
    );
    const file = path.join(folder, 'boards.yml');
    const recorded = rules.map((expr, index) => ({ record: `board:query_${index}`, expr }));
    await writeFile(file, stringify({ groups: [{ name: 'boards', rules: recorded }] }));
    await promtool('check', 'rules', file);
  });
});
