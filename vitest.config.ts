import { defineConfig } from 'vitest/config';
import { firstBrowserTests, firstEndToEndTests, firstSeeds, laterIntegrationTests } from './test/tiers/first-tests.ts';
import LongestFirst from './test/tiers/longest-first.ts';

/** `first`: of the slow tiers, what a change breaks first (`npm test`). Otherwise all of it. */
const isFirstAlone = process.env['MUSTER_TESTS'] === 'first';

/** Tests that need real servers get one Kafka and one Postgres for the whole run; each file makes its own database and topics in them. */
const withInfrastructure = ['./test/infrastructure.setup.ts'];

/** A loaded machine may take seconds for what takes milliseconds otherwise. */
const patience = { poll: { timeout: 20_000 } };

/** Real processes, and real faults. */
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
    // The second writes what `npm test` and CI sum up.
    reporters: ['default', './test/tiers/tier-reporter.ts'],
    // Asked for by `npm run console:coverage`: how much of the console is reached below a browser.
    coverage: {
      provider: 'v8',
      include: ['services/console/src/**/*.{ts,tsx}'],
      exclude: ['**/generated/**', '**/testing/**', '**/*.test.{ts,tsx}'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
    },
    // By default a list is shown by its length alone. Of a failed fault test, nothing is left but its message.
    chaiConfig: { truncateThreshold: 1000 },
    // Its own default leaves one core out: of two, half.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // Tier by tier: what runs as many processes must not fight the others for the cores.
    projects: [
      {
        test: {
          name: 'unit',
          expect: patience,
          // Files share the modules that they import: no module keeps what one test could leave to another.
          isolate: false,
          sequence: { groupOrder: 0 },
          include: [
            '{shared,services,cli,benchmarks,sdk,deploy,migrations}/**/*.test.ts',
            'test/{audit,support,soak,tiers,mutations,lint}/**/*.test.ts',
            'test/alerts/{documents,boards}.test.ts',
            'test/browser/support/*.test.ts',
          ],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**'],
          testTimeout: 30_000,
        },
      },
      {
        // The console's views, each file with a document of its own.
        test: {
          name: 'console',
          expect: patience,
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
        // The console in a browser, over real processes.
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
      // Needs Prometheus' own tool.
      {
        test: {
          name: 'alerts',
          include: ['test/alerts/promtool.test.ts'],
          sequence: { groupOrder: 6 },
          testTimeout: 60_000,
        },
      },
      // Needs Helm and the schemas of Kubernetes: npm ci --prefix test/chart. What a release is made of, too.
      {
        test: {
          name: 'chart',
          include: ['test/chart/*.test.ts'],
          sequence: { groupOrder: 6 },
          testTimeout: 60_000,
        },
      },
      // Needs etcd, HAProxy and Python besides: asked for by name, and by the nightly run.
      { test: { ...faults, name: 'failover', include: ['test/failover/*.test.ts'] } },
    ],
  },
});
