import { cancelJobs, moveJobs } from '../../services/api/jobs/postgres/job-statements.ts';
import * as retention from '../../services/trigger/retain/postgres/retention-statements.ts';

interface Unfollowed {
  /** The other check that covers these statements. */
  why: string;
  /** Known texts: checked like the others, except for their values and rows. */
  texts?: readonly string[];
}

const feedTables = [
  'batches',
  'held_out_users',
  'batch_steps',
  'step_attempts',
  'user_failures',
  'explicit_users',
  'receipts',
  'capped_effects',
];
const { beforeDropping, deleteDryRows, deleteStrays, dryTables, ...others } = retention;
const tablesOfDryRuns = Object.keys(dryTables).filter((name): name is keyof typeof dryTables => name in dryTables);

/** Statements that are composed at run time, by the file that runs them. */
export const unfollowed: Readonly<Record<string, Unfollowed>> = {
  'shared/postgres/connection/databases.ts': { why: 'names a database' },
  'shared/postgres/connection/partition-changes.ts': {
    why: 'drops tables of members: test/integration/connectors-snapshots.integration.test.ts',
  },
  'shared/infrastructure/local-postgres.ts': { why: 'names a database' },
  'services/connectors/databases/postgres/postgres-source.ts': {
    why: 'runs queries of a file: test/integration/connectors-segments.integration.test.ts',
  },
  'services/connectors/databases/postgres/postgres-target.ts': {
    why: 'runs statements of a file: test/integration/connectors-actions.integration.test.ts',
  },
  'services/connectors/segments/postgres/snapshot-store.ts': {
    why: 'names tables of members: test/integration/connectors-snapshots.integration.test.ts',
  },
  'cli/installation/rights/apply-grants.ts': {
    why: 'grants: cli/installation/rights/grants-applied.integration.test.ts',
  },
  'shared/postgres/roles/grants.ts': { why: 'grants: cli/installation/rights/grants.integration.test.ts' },
  'services/trigger/retain/postgres/retention.ts': {
    why: 'names partitions: test/integration/retention.integration.test.ts',
    texts: [
      ...Object.values(others).filter((each) => typeof each === 'string'),
      ...Object.values(beforeDropping).flat(),
      ...feedTables.map(deleteStrays),
      ...tablesOfDryRuns.map(deleteDryRows),
    ],
  },
  'services/api/jobs/postgres/job-store.ts': {
    why: 'hands over which of two it is',
    texts: [cancelJobs.text, moveJobs.text],
  },
};
