import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadContexts } from '../../services/worker/claims/postgres/feed-contexts.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile();
beforeEach(() => database.empty());

interface Subject {
  column: 'campaign' | 'template' | 'saved_audience';
  table: string;
  insert: string;
}

const campaigns: Subject = {
  column: 'campaign',
  table: 'campaigns',
  insert: `insert into campaigns (id, name, state, revision) values ($1, 'Payday', 'draft', 2)`,
};
const templates: Subject = {
  column: 'template',
  table: 'templates',
  insert: `insert into templates (id, name, revision) values ($1, 'Payday', 2)`,
};
const savedAudiences: Subject = {
  column: 'saved_audience',
  table: 'saved_audiences',
  insert: `insert into saved_audiences (id, name, revision) values ($1, 'Riders', 2)`,
};
const subjects = [campaigns, templates, savedAudiences];

const rowsOf = async (text: string, values: readonly unknown[] = []) =>
  (await database.pool.query<Record<string, unknown>>(text, [...values])).rows;

async function addSubject({ column, insert }: Subject): Promise<string> {
  const id = uuidv7();
  await database.pool.query(insert, [id]);
  await database.pool.query(
    `insert into revisions (${column}, revision, definition) select $1, n, '{}' from generate_series(1, 2) n`,
    [id],
  );
  return id;
}

describe('the table of revisions', () => {
  it.each(subjects)('deletes all revisions of a deleted $column, and no others', async (subject) => {
    const { column, table } = subject;
    const [deleted, kept] = [await addSubject(subject), await addSubject(subject)];
    const others = subjects.filter((other) => other !== subject);
    for (const other of others) await addSubject(other);

    await database.pool.query(`delete from ${table} where id = $1`, [deleted]);

    expect(await rowsOf(`select distinct ${column} as id from revisions where ${column} is not null`)).toEqual([
      { id: kept },
    ]);
    expect(await rowsOf('select from revisions')).toHaveLength(2 + 2 * others.length);
  });

  it.each([
    ['no subject', 'null', 'null'],
    ['two subjects', 'c.id', 't.id'],
  ])('refuses a row with %s', async (_, campaign, template) => {
    for (const subject of subjects) await addSubject(subject);
    const insert = `insert into revisions (campaign, template, revision, definition)
      select ${campaign}, ${template}, 3, '{}' from campaigns c, templates t`;
    await expect(database.pool.query(insert)).rejects.toThrow(/check constraint/);
  });

  it('refuses a second row of a revision, and a revision of a missing subject', async () => {
    const id = await addSubject(templates);
    const insert = `insert into revisions (template, revision, definition) values ($1, 2, '{}')`;
    await expect(database.pool.query(insert, [id])).rejects.toThrow(/unique constraint/);
    await expect(database.pool.query(insert, [uuidv7()])).rejects.toThrow(/foreign key constraint/);
  });

  it('finds the revision of a run for workers by an index on campaign and number', async () => {
    for (const { column, table } of subjects) {
      const state = column === 'campaign' ? `, state` : '';
      await database.pool.query(`insert into ${table} (id, name, revision${state})
        select uuidv7(), 'number ' || n, 1${state && `, 'draft'`} from generate_series(1, 3000) n`);
      await database.pool.query(
        `insert into revisions (${column}, revision, definition) select id, 1, '{}' from ${table}`,
      );
    }
    await database.pool.query('analyze revisions');
    const plan = await rowsOf(`explain ${loadContexts.replace('$1', `'{${uuidv7()}}'`)}`);
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      /Index Scan using revisions_campaign_revision_key on revisions c.*\n +Index Cond: \(\(campaign = r.campaign\) AND \(revision = r.revision\)\)/,
    );
  });
});
