import { describe, expect, it } from 'vitest';
import { readSources } from '../mutations/sources.ts';

/** The one file whose statements may exclude the readers of a table. */
const strongLocks = 'shared/postgres/connection/partition-changes.ts';

/** Statements that take such a lock, and functions of the schema that do. */
const excludesReaders = [
  /\bcreate\s+table\b[^;`]*\bpartition\s+of\b/i,
  /\b(?:attach|detach)\s+partition\b/i,
  /\bdrop\s+(?:table|index)\b/i,
  /\btruncate\s+(?:table\s+)?\w/i,
  /\balter\s+table\b/i,
  /\block\s+table\b(?!.*\b(?:share row exclusive|row exclusive|share update exclusive|row share) mode)/i,
  /\b(?:reindex|vacuum\s+full)\s+\w/i,
  /\b(?:make|drop)_[a-z_]+\s*\(/,
];

/** Returns the source without comments, which may name what the code must not do. */
function codeOf(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function offendersIn(sources: Iterable<readonly [file: string, source: string]>): string[] {
  return [...sources].flatMap(([file, source]) => {
    const found = excludesReaders.flatMap((pattern) => pattern.exec(codeOf(source))?.[0] ?? []);
    return found.map((text) => `${file}: ${text}`);
  });
}

/** Migrations have their own lock time-out, and the sandbox is not part of an installation. */
const product = [...readSources()].filter(([file]) => !/^(?:migrations|services\/sandbox)\//.test(file));

describe('a lock that excludes the readers of a table', () => {
  it('is taken in only one file of the product', () => {
    expect(offendersIn(product.filter(([file]) => file !== strongLocks))).toEqual([]);
  });

  it('is detected in the functions that create and drop partitions', () => {
    const found = offendersIn(product.filter(([file]) => file === strongLocks));
    expect(found.length).toBeGreaterThan(0);
  });

  it.each([
    'create table ended_jobs_20270101\n partition of ended_jobs default',
    'drop table runs',
    'select make_job_days(now(), now())',
    'select drop_feed_week($1)',
    'truncate runs',
    'truncate table runs',
    'alter table runs add column x int',
    'lock table runs in access exclusive mode',
    'lock table runs',
    'alter table runs detach partition x',
  ])('is detected in the source: %s', (text) => {
    expect(offendersIn([['services/x.ts', `const text = \`${text}\`;`]])).not.toEqual([]);
  });

  it.each([
    'lock table suppression_list_versions in share row exclusive mode',
    '// never drop table runs here',
    'create temporary table upload (id text)',
  ])('is not detected in the source: %s', (text) => {
    expect(offendersIn([['services/x.ts', text]])).toEqual([]);
  });
});
