import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Part } from './lanes.ts';
import { firstBrowserTests, firstEndToEndTests, laterIntegrationTests, shortenedTests } from './first-tests.ts';
import { guessMinutes, readExpectedMinutes } from './expected-minutes.ts';

/** A test file that `npm test` leaves out, or of which it runs the first cases. */
export interface RestFile extends Part {
  /** The project of vitest that it belongs to. */
  tier: string;
  file: string;
  /** Expected duration in minutes, servers included. */
  minutes: number;
}

/** All of them but those of `failover`, which need Patroni and are a part of the nightly run. */
export function listRestFiles(root: string): RestFile[] {
  const expected = readExpectedMinutes(root);
  const below = (tier: string, pattern: string, without: readonly string[] = []) =>
    globSync(pattern, { cwd: root })
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) => !without.includes(file))
      .toSorted()
      .map((file) => ({ tier, file }));
  return [
    ...below('faults', 'test/faults/**/*.test.ts'),
    { tier: 'alerts', file: 'test/alerts/promtool.test.ts' },
    ...below('chart', 'test/chart/*.test.ts'),
    ...shortenedTests,
    ...laterIntegrationTests.map((file) => ({ tier: 'integration', file })),
    ...below('e2e', 'test/e2e/*.test.ts', firstEndToEndTests),
    ...below('browser', 'test/browser/*.test.ts', firstBrowserTests),
    { tier: 'simulation', file: 'test/simulation/walks.test.ts' },
  ].map(({ tier, file }) => {
    const source = readFileSync(path.join(root, file), 'utf8');
    const minutes = expected.get(file) ?? guessMinutes(tier, source);
    return { tier, file, minutes, alone: tier === 'faults' && comparesTimes(source) };
  });
}

/**
 * Recognizes a fault file that compares times or rates with a fault to those without one: it calls one of the helpers
 * for that, or names a percentile or a rate. Such a file must have the machine for itself.
 */
export function comparesTimes(source: string): boolean {
  return /\b(?:undisturbed|quantile)\(|\bp99\b|\.rate\b/.test(source);
}
