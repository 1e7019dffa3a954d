import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { checkOut, releasedVersion } from '../e2e/released-version.ts';
import { faultControls } from '../mutations/fault-controls.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { treeWithout } from './support/tree-without.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
const later = '29991231000000_later';
/** Migration of the next version: it adds columns, one of which workers read, and a table. */
const laterMigration = `
export async function up(knex) {
  await knex.raw('alter table runs add column added_later text');
  await knex.raw('alter table batch_steps add column added_later int');
  await knex.raw('create table added_later (run uuid primary key, note text)');
}
`;

/** Returns a tree with the current sources and a newer schema. */
async function nextVersion(edits: readonly { text: string; replacement: string }[] = []): Promise<string> {
  const tree = await treeWithout({ edits: [...faultControls.columnsOfTheNextVersionAreUnread.edits, ...edits] });
  await writeFile(path.join(tree, 'migrations', `${later}.ts`), laterMigration);
  return tree;
}

/** Undefined before the first release; then this version takes the place of the released one. */
const released = releasedVersion();

describe('row 64: processes of two versions side by side', () => {
  const trees: string[] = [];
  let old: string | undefined;
  let trial: Trial;
  /** Source trees of the services that run the next version. */
  const versions = new Map<string, string>();
  beforeAll(async () => {
    old = released === undefined ? undefined : await checkOut(released);
    if (old !== undefined) trees.push(old);
  });
  afterEach(async () => {
    await trial.end();
    versions.clear();
  });
  afterAll(() => Promise.all(trees.map((tree) => rm(tree, { recursive: true }))));

  async function begin(): Promise<string> {
    trial = await startTrial({
      workers: 2,
      triggers: 2,
      schedulers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=120000`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '300-500',
        SANDBOX_MESSAGES_LATENCY_MS: '300-500',
      },
      engine: { WORKER_CONCURRENCY: '10', WORKER_LEASE_MS: '30000' },
      root: (name) => versions.get(name) ?? old,
    });
    const { api, countries } = trial.muster;
    const runId = await api.run({ name: 'Rolled out', countries, segment, chain: rewardThenMessage });
    await trial.awaitCalls(runId, 2, 20);
    return runId;
  }

  /** Stops these processes and starts processes of the other version in their place, under load. */
  async function replace(names: readonly string[], tree: string | undefined, runId: string): Promise<void> {
    for (const name of names) {
      expect(await trial.stop(name)).toBe(0);
      if (tree === undefined) versions.delete(name);
      else versions.set(name, tree);
    }
    const before = names.map((name) => logOf(name).length);
    await trial.restart(...names);
    await until(`${names.join()} are among them`, () =>
      names.every((name, index) => logOf(name).includes('service is running', before[index])),
    );
    const called = await trial.batchesCalled(runId, 2);
    await trial.awaitCalls(runId, 2, called + 20);
  }

  const logOf = (name: string) => readFileSync(trial.muster.services.get(name)?.logFile ?? '', 'utf8');

  it('work together without effect on users, and the new version does not start before its schema exists', async () => {
    const next = await nextVersion();
    trees.push(next);
    const runId = await begin();
    versions.set('worker-3', next);
    await trial.muster.restart('worker-3');
    expect(await trial.muster.services.get('worker-3')?.exited).toBe(1);
    expect(logOf('worker-3')).toContain(`the database's schema lacks ${later}`);

    const migrations = pathToFileURL(`${path.join(next, 'migrations')}/`);
    expect(await migrate(trial.muster.database.url, { folder: migrations })).toEqual([later]);
    trial.injections.happened('migration', later);
    // First new processes join the old ones. Then old processes, which do not know the schema, join the new ones.
    const some = ['worker-1', 'trigger-1', 'scheduler-1'];
    await replace(some, next, runId);
    await replace(['worker-2'], next, runId);
    await replace(some, old, runId);
    for (const name of some) expect(logOf(name)).toContain('the database has a newer schema than this version knows');

    await trial.awaitEnd(runId, 150_000);
    expect(await trial.judge(runId, { rows: '64', scenario: 'two versions side by side', segment })).toEqual([]);
  });

  it('serve no user in the new version if a missing schema is not refused (control)', async () => {
    const unchecked = await nextVersion(faultControls.schemaIsChecked.edits);
    trees.push(unchecked);
    const runId = await begin();
    for (const name of trial.names('worker')) {
      await trial.stop(name);
      versions.set(name, unchecked);
      await trial.restart(name);
    }
    await lasting(10_000);
    const found = await trial.judge(runId, { rows: '64', scenario: 'a schema that is not there', segment });
    expect(found).toContainEqual(expect.stringMatching(/^I1: \d+ pending/));
  });
});
