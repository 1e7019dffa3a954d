import { mkdtempSync } from 'node:fs';
import { chmod, glob, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { createGuardian } from '../../shared/infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../../shared/infrastructure/local-postgres.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { compareRow } from './compare-row.ts';
import { compareValues } from './compare-values.ts';
import { describeStatement } from './describe-statement.ts';
import { evaluate, type Evaluated } from './evaluate.ts';
import { findQueries, type Query } from './find-queries.ts';

/**
 * Checks every statement of the product against the schema that the migrations make, on a Postgres of its own: that it
 * can be planned, that as many values go with it as it has parameters, of kinds that these can be read from, and that
 * rows have the fields that the code says. With files as arguments, those alone
 * (docs/decisions/0040-statements-are-checked-against-the-schema.md).
 */

const root = join(import.meta.dirname, '../..');

/** Statements that are put together while the code runs, by place, and what looks at them instead. */
const followedByTests: Readonly<Record<string, string>> = {
  'shared/postgres/connection/databases.ts': 'names a database',
  'shared/infrastructure/local-postgres.ts': 'names a database',
  'services/trigger/retain/postgres/retention.ts': 'names partitions: test/integration/retention.integration.test.ts',
  'services/api/jobs/postgres/job-store.ts': 'two statements of job-changes.ts, which are checked there',
};

const startedAt = performance.now();
const [queries, database] = await Promise.all([productQueries(), startDatabase()]);
try {
  const problems = await check(queries, database.url);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${queries.length} places that run statements, ${problems.length} problems (${seconds} s)\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await database.stop();
}

async function productQueries(): Promise<Query[]> {
  const files = process.argv.slice(2).map((file) => join(root, file));
  if (files.length === 0) files.push(...(await productFiles()));
  const config: unknown = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config;
  return findQueries(root, files.sort(), ts.parseJsonConfigFileContent(config, ts.sys, root).options);
}

async function productFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('{shared,services,cli}/**/*.ts', {
    cwd: root,
    exclude: ['**/*.test.ts', 'services/console/**'],
  })) {
    if ((await readFile(join(root, file), 'utf8')).includes('.query')) files.push(join(root, file));
  }
  return files;
}

async function startDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-sql-'));
  const guardian = createGuardian(folder);
  await chmod(folder, 0o755);
  const postgresSettings = { fsync: 'off', shared_buffers: '32MB', max_connections: 10 };
  const { databaseUrl } = await startLocalPostgres({ folder, environment: process.env, guardian, postgresSettings });
  await migrate(databaseUrl);
  return { url: databaseUrl, stop: () => guardian.end() };
}

async function check(all: readonly Query[], url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const problems: string[] = [];
    const asked: { query: Query; evaluated: Evaluated }[] = [];
    for (const [file, those] of Map.groupBy(all, (query) => query.file)) {
      const unknown = those.filter(({ statements }) => statements.length === 0);
      if (!(file in followedByTests))
        problems.push(
          ...unknown.map(({ line }) => `${file}:${line} is a statement that cannot be followed to its text`),
        );
      const evaluated = await evaluate(
        join(root, file),
        those.flatMap(({ statements }) => statements),
      );
      const of = those.flatMap((query) => query.statements.map(() => query));
      asked.push(...of.map((query, index) => ({ query, evaluated: evaluated[index] ?? { text: '' } })));
    }
    // Tables that only their own connection sees, or that the sandbox makes for itself.
    for (const { evaluated } of asked) if (makesTables(evaluated.text)) await client.query(evaluated.text);
    for (const { query, evaluated } of asked) {
      if (!makesTables(evaluated.text)) problems.push(...(await problemsOf(client, query, evaluated)));
    }
    return problems;
  } finally {
    await client.end();
  }
}

function makesTables(text: string): boolean {
  return /^\s*create (temporary table|schema)/.test(text);
}

async function problemsOf(client: pg.Client, query: Query, { text, names }: Evaluated): Promise<string[]> {
  const { file, line, values, row } = query;
  try {
    const { params, columns } = await describeStatement(client, text);
    const said = [...(values ? compareValues(values, names, params) : []), ...(row ? compareRow(row, columns) : [])];
    return said.map((problem) => `${file}:${line} ${problem}`);
  } catch (error) {
    return [`${file}:${line} ${error instanceof Error ? error.message : String(error)}\n${text}\n`];
  }
}
