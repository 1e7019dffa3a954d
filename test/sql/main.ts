import { mkdtempSync } from 'node:fs';
import { chmod, glob, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import ts from 'typescript';
import { createGuardian } from '../../shared/infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../../shared/infrastructure/local-postgres.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { prepareStore } from '../../services/connectors/store/postgres/prepare-store.ts';
import { compareRow } from './compare-row.ts';
import { compareValues } from './compare-values.ts';
import { describeStatement } from './describe-statement.ts';
import { evaluate, type Evaluated } from './evaluate.ts';
import { deriveRights, type RunStatement } from './derive-rights.ts';
import { findQueries, type Query } from './find-queries.ts';
import { compareRights, tryUnderRoles } from './rights-file.ts';
import { unfollowed } from './unfollowed.ts';

/**
 * Checks every statement of the product against the migrated schema, on its own Postgres. Each statement must be
 * plannable, have as many values as parameters, of kinds that Postgres can read, and rows with the declared fields.
 * With files as arguments, checks only those (docs/decisions/0005-code-base-and-its-checks.md). Also checks that each
 * role has exactly the rights that its services need; `--write` updates the file of rights
 * (docs/decisions/0099-database-roles.md).
 */

const root = join(import.meta.dirname, '../..');
const { values: options, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true });

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
  const files = positionals.map((file) => join(root, file));
  if (files.length === 0) files.push(...(await productFiles()));
  const config: unknown = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config;
  return findQueries(root, files.sort(), ts.parseJsonConfigFileContent(config, ts.sys, root).options);
}

async function productFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('{shared,services,cli}/**/*.ts', {
    cwd: root,
    // The shop of the demo has a database of its own, which is not Muster's.
    exclude: ['**/*.test.ts', 'services/console/**', 'cli/demo/shop/**'],
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
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const deps = { folder, environment: process.env, guardian, report, postgresSettings };
  const { databaseUrl } = await startLocalPostgres(deps);
  await migrate(databaseUrl);
  await prepareStore(databaseUrl);
  return { url: databaseUrl, stop: () => guardian.end() };
}

async function check(all: readonly Query[], url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const problems: string[] = [];
    const requested: { query: Query; evaluated: Evaluated }[] = [];
    for (const [file, those] of Map.groupBy(all, (query) => query.file)) {
      const unknown = those.filter(({ statements }) => statements.length === 0);
      if (!(file in unfollowed))
        problems.push(
          ...unknown.map(({ line }) => `${file}:${line} is a statement that cannot be followed to its text`),
        );
      const evaluated = await evaluate(
        join(root, file),
        those.flatMap(({ statements }) => statements),
      );
      const of = those.flatMap((query) => query.statements.map(() => query));
      requested.push(...of.map((query, index) => ({ query, evaluated: evaluated[index] ?? { text: '' } })));
    }
    // Creates temporary tables, and tables that the sandbox creates itself.
    for (const { evaluated } of requested) if (makesTables(evaluated.text)) await client.query(evaluated.text);
    for (const { query, evaluated } of requested) {
      if (!makesTables(evaluated.text)) problems.push(...(await problemsOf(client, query, evaluated)));
    }
    for (const { file, text } of unfollowedStatements()) problems.push(...(await problemsOfText(client, file, text)));
    if (problems.length > 0 || positionals.length > 0) return problems;
    const statements = requested.map(({ query: { file }, evaluated: { text } }): RunStatement => ({ file, text }));
    const derived = await deriveRights(client, root, [...statements, ...unfollowedStatements()]);
    const differing = await compareRights(root, derived.rights, options.write ?? false);
    if (options.write || differing.length > 0) return [...derived.problems, ...differing];
    return [...derived.problems, ...(await tryUnderRoles(client, derived.textsOf))];
  } finally {
    await client.end();
  }
}

function unfollowedStatements(): RunStatement[] {
  return Object.entries(unfollowed).flatMap(([file, { texts = [] }]) => texts.map((text) => ({ file, text })));
}

function makesTables(text: string): boolean {
  return /^\s*create (temporary table|schema)/.test(text);
}

async function problemsOfText(client: pg.Client, place: string, text: string): Promise<string[]> {
  return await describeStatement(client, text).then(
    () => [],
    (error: unknown) => [`${place} ${error instanceof Error ? error.message : String(error)}\n${text}\n`],
  );
}

async function problemsOf(client: pg.Client, query: Query, { text, names }: Evaluated): Promise<string[]> {
  const { file, line, values, row } = query;
  try {
    const { params, columns } = await describeStatement(client, text);
    const reported = [
      ...(values ? compareValues(values, names, params) : []),
      ...(row ? compareRow(row, columns) : []),
    ];
    return reported.map((problem) => `${file}:${line} ${problem}`);
  } catch (error) {
    return [`${file}:${line} ${error instanceof Error ? error.message : String(error)}\n${text}\n`];
  }
}
