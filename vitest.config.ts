import { defineConfig } from 'vitest/config';
import { firstBrowserTests, firstEndToEndTests, firstSeeds, laterIntegrationTests } from './test/tiers/first-tests.ts';
import LongestFirst from './test/tiers/longest-first.ts';

/** True for `npm test`, which runs only those slow tests that a change is most likely to break. */
const isFirstAlone = process.env['MUSTER_TESTS'] === 'first';

/** Starts one Kafka and one Postgres for the whole run. Each test file creates its own database and topics in them. */
const withInfrastructure = ['./test/infrastructure.setup.ts'];

/** The nightly run shows tests without servers a later date, on which they must pass too. */
const dated = process.env['MUSTER_DAYS_LATER'] === undefined ? [] : ['./test/support/days-later.setup.ts'];
/** Compares times of files, which have the actual date. */
const ofActualDate = dated.length === 0 ? [] : ['shared/infrastructure/kafka-artifacts.test.ts'];

/** Long time limit, because a busy machine may take seconds for work that otherwise takes milliseconds. */
const patience = { poll: { timeout: 20_000 } };

/** Settings of tests that break real processes. */
const faults = {
  expect: patience,
  sequence: { groupOrder: 5 },
  globalSetup: [...withInfrastructure, './test/faults/support/figures.setup.ts'],
  fileParallelism: false,
  testTimeout: 300_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    // The second reporter writes the results that `npm test` and CI add up.
    reporters: ['default', './test/tiers/tier-reporter.ts'],
    // `npm run console:coverage` measures how much of the console is tested without a browser.
    coverage: {
      provider: 'v8',
      include: ['services/console/src/**/*.{ts,tsx}'],
      exclude: ['**/generated/**', '**/testing/**', '**/*.test.{ts,tsx}'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
    },
    // By default a message shows only the length of a long list. A failed fault test leaves nothing but its message.
    chaiConfig: { truncateThreshold: 1000 },
    // By default Vitest leaves one core unused, which is half of a machine with two cores.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // The tiers run one after another, because tests with many processes would slow down the others.
    projects: [
      {
        test: {
          name: 'unit',
          expect: patience,
          setupFiles: dated,
          // Files share the modules that they import. No module keeps state that one test could leave to another.
          isolate: false,
          sequence: { groupOrder: 0 },
          include: [
            '{shared,services,cli,benchmarks,sdk,deploy,migrations}/**/*.test.ts',
            'test/{audit,support,soak,tiers,mutations,lint}/**/*.test.ts',
            'test/alerts/{documents,boards}.test.ts',
            'test/browser/support/*.test.ts',
          ],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**', ...ofActualDate],
          testTimeout: 30_000,
        },
      },
      {
        // Tests of the console's views; each file has its own document.
        test: {
          name: 'console',
          expect: patience,
          setupFiles: dated,
          sequence: { groupOrder: 0 },
          include: ['services/console/src/**/*.test.tsx'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          env: isFirstAlone ? { SEEDS: String(firstSeeds) } : {},
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          expect: patience,
          isolate: false,
          include: ['{shared,services,cli,sdk,test}/**/*.integration.test.ts'],
          exclude: ['**/node_modules/**', ...(isFirstAlone ? laterIntegrationTests : [])],
          sequence: { groupOrder: 2 },
          globalSetup: withInfrastructure,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          expect: patience,
          include: isFirstAlone ? firstEndToEndTests : ['test/e2e/**/*.test.ts'],
          sequence: { groupOrder: 3 },
          globalSetup: withInfrastructure,
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Tests of the console in a browser, with real processes.
        test: {
          name: 'browser',
          expect: patience,
          include: isFirstAlone ? firstBrowserTests : ['test/browser/*.test.ts'],
          sequence: { groupOrder: 4 },
          globalSetup: [...withInfrastructure, './test/browser/console.setup.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      { test: { ...faults, name: 'faults', include: ['test/faults/**/*.test.ts'] } },
      // These tests need promtool of Prometheus.
      {
        test: {
          name: 'alerts',
          include: ['test/alerts/promtool.test.ts'],
          sequence: { groupOrder: 6 },
          testTimeout: 60_000,
        },
      },
      // Tests of the chart and of the parts of a release. They need Helm and the schemas of Kubernetes, which
      // `npm ci --prefix test/chart` installs.
      {
        test: {
          name: 'chart',
          include: ['test/chart/*.test.ts'],
          sequence: { groupOrder: 6 },
          testTimeout: 60_000,
        },
      },
      // These tests also need etcd, HAProxy and Python. Only the nightly run, or a request by name, runs them.
      { test: { ...faults, name: 'failover', include: ['test/failover/*.test.ts'] } },
    ],
  },
});
