/** Tests of the slow tiers that a change breaks first; `npm test` runs these. */
export const firstEndToEndTests = ['campaign', 'killed-processes', 'callbacks', 'one-process'].map(
  (name) => `test/e2e/${name}.test.ts`,
);
/** Tests of which `npm test` runs the first cases or rounds. The later tiers run all of them. */
export const shortenedTests = [
  { tier: 'e2e', file: 'test/e2e/killed-processes.test.ts' },
  { tier: 'integration', file: 'test/integration/budgets.integration.test.ts' },
];
export const firstBrowserTests = ['journey', 'sessions', 'stream'].map((name) => `test/browser/${name}.test.ts`);

/** Seeds of the random walks. */
export const firstSeeds = 500;
/**
 * Left out of `npm test`, because they take minutes and few changes break them: they start brokers, servers or whole
 * installations of their own, kill processes at every point, or send odd requests to every operation.
 */
export const laterIntegrationTests = [
  'cli/demo/demo.integration.test.ts',
  'sdk/kits/kits.integration.test.ts',
  'sdk/package.integration.test.ts',
  'shared/infrastructure/local.integration.test.ts',
  'shared/kafka/security.integration.test.ts',
  'shared/kafka/publisher/topic-writer.integration.test.ts',
  'shared/postgres/connection/tls.integration.test.ts',
  'test/integration/connectors-action-freezes.integration.test.ts',
  'test/integration/connectors-call-kills.integration.test.ts',
  'test/integration/connectors-email-kills.integration.test.ts',
  'test/integration/connectors-files.integration.test.ts',
  'test/integration/connectors-lost-databases.integration.test.ts',
  'test/integration/connectors-presets.integration.test.ts',
  'test/integration/connectors-snapshots.integration.test.ts',
  'test/integration/leader-changes.integration.test.ts',
  'test/integration/openapi-fuzz.integration.test.ts',
];
