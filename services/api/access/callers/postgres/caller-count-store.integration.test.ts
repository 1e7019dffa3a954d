import { beforeEach, describe, expect, it } from 'vitest';
import { wholeScope } from '../../../../../shared/domain/scopes.ts';
import { databaseForFile } from '../../../../../test/support/file-database.ts';
import type { CountedCalls, CountedPerson } from '../caller-counter.ts';
import { createCallerCountStore, maxStoredPeople } from './caller-count-store.ts';
import { createKeyCalls } from './key-calls.ts';
import { createKeyStore } from '../../credentials/postgres/key-store.ts';
import { createPersonStore } from '../../credentials/postgres/person-store.ts';
import { createRefusedPeople } from '../../postgres/refused-people.ts';

const key = '01938f1e-7c00-7000-8000-000000000001';
const another = '01938f1e-7c00-7000-8000-000000000002';
const issuer = 'https://login.test';

const database = databaseForFile();
beforeEach(() => database.empty());

describe('calls of a key', () => {
  const note = (...calls: CountedCalls[]) => createCallerCountStore(database)({ refusals: [], calls, people: [] });
  const callsOf = (key: string) => createKeyCalls(database)(key);
  const someCalls = { key, operation: 'listRuns', done: 1, refused: 2, failed: 3, lastAgoMs: 5000 };

  it('are added up by day and operation, over all processes', async () => {
    await note(someCalls, { ...someCalls, operation: 'createJob', lastAgoMs: 0 }, { ...someCalls, key: another });
    await note({ ...someCalls, lastAgoMs: 60_000 });
    const { days, operations } = await callsOf(key);
    expect(operations.map(({ operation, done, refused, failed }) => [operation, done, refused, failed])).toEqual([
      ['createJob', 1, 2, 3],
      ['listRuns', 2, 4, 6],
    ]);
    const [, lists] = operations;
    expect(Date.now() - (lists?.lastAt.getTime() ?? 0)).toBeLessThan(55_000);
    expect(days).toHaveLength(8);
    expect(days.at(-1)).toMatchObject({ done: 3, refused: 6, failed: 9 });
    expect(days.slice(0, -1).every(({ done, refused, failed }) => done + refused + failed === 0)).toBe(true);
  });

  it('are kept for eight days, and deleted with the next write', async () => {
    await note(someCalls);
    await database.pool.query('update api_key_calls set day = day - 7');
    await note({ ...someCalls, operation: 'createJob' });
    expect((await callsOf(key)).days[0]).toMatchObject({ done: 1, refused: 2, failed: 3 });
    await database.pool.query('update api_key_calls set day = day - 1');
    expect((await callsOf(key)).operations.map(({ operation }) => operation)).toEqual(['createJob']);
    await note({ ...someCalls, operation: 'getRun' });
    const { rows } = await database.pool.query('select operation from api_key_calls order by operation');
    expect(rows).toEqual([{ operation: 'createJob' }, { operation: 'getRun' }]);
  });
});

describe('people whose tokens were refused', () => {
  const note = (...people: CountedPerson[]) => createCallerCountStore(database)({ refusals: [], calls: [], people });
  const listed = () => createRefusedPeople(database)(1000);
  const stranger: CountedPerson = {
    ...({ issuer, subject: 'ada', name: 'ada@test', code: 'no-role', detail: 'no role' } as const),
    count: 2,
    lastAgoMs: 1000,
    lastFrom: '10.0.0.1',
  };

  it('are counted by issuer and subject, with the reason of the last refusal, even if they have no row among the keys', async () => {
    await note(stranger);
    await note({ ...stranger, name: null, count: 3, detail: 'no claim', lastFrom: '10.0.0.2' });
    expect(await listed()).toMatchObject([
      {
        subject: 'ada',
        name: 'ada@test',
        code: 'no-role',
        detail: 'no claim',
        count: 5,
        lastFrom: '10.0.0.2',
        key: null,
        isInAgain: false,
        mayBeLetIn: false,
      },
    ]);
  });

  it('are counted from zero again if they were accepted in between', async () => {
    await note(stranger);
    await database.pool.query(
      `update refused_people set first_at = first_at - interval '1 hour', last_at = last_at - interval '1 hour'`,
    );
    const persons = createPersonStore(database);
    await persons.upsert(issuer, { subject: 'ada', name: 'ada@test', role: 'viewer', scope: wholeScope });
    expect(await listed()).toMatchObject([{ count: 2, isInAgain: true }]);
    await note({ ...stranger, count: 1, lastAgoMs: 0 });
    const [again] = await listed();
    expect(again).toMatchObject({ count: 1, isInAgain: false });
    expect(again?.firstAt).toEqual(again?.lastAt);
  });

  it('may be let in again if their key has expired and is not revoked, and refused requests do not use the key', async () => {
    const persons = createPersonStore(database);
    const person = { subject: 'ada', name: 'ada@test', role: 'viewer', scope: wholeScope } as const;
    const { key: row } = await persons.upsert(issuer, person);
    await database.pool.query(
      `update api_keys set expires_at = now(), last_used_at = now() - interval '1 hour' where id = $1`,
      [row],
    );
    const before = (await createKeyStore(database).get(row))?.lastUsedAt;
    await persons.find(issuer, ['ada']);
    await persons.upsert(issuer, { ...person, role: 'manager' });
    expect((await createKeyStore(database).get(row))?.lastUsedAt).toEqual(before);
    await note({ ...stranger, code: 'shut-out' });
    expect(await listed()).toMatchObject([{ key: row, mayBeLetIn: true, isInAgain: false }]);
    await database.pool.query('update api_keys set expires_at = null where id = $1', [row]);
    expect(await listed()).toMatchObject([{ mayBeLetIn: false, isInAgain: true }]);
    await database.pool.query('update api_keys set revoked_at = now() where id = $1', [row]);
    expect(await listed()).toMatchObject([{ key: row, mayBeLetIn: false, isInAgain: false }]);
  });

  it('are kept for thirty days, but at most a thousand of them', async () => {
    const many = Array.from({ length: maxStoredPeople }, (_, number) => ({ ...stranger, subject: `sub ${number}` }));
    await note(...many);
    await database.pool.query(`update refused_people set last_at = last_at - interval '1 day'`);
    await note(stranger);
    await note({ ...stranger, subject: 'grace' });
    await database.pool.query(
      `update refused_people set last_at = last_at - interval '1 second' where subject = 'ada'`,
    );
    await database.pool.query(
      `update refused_people set last_at = last_at - interval '1 hour' where subject = 'sub 1'`,
    );
    await note({ ...stranger, subject: 'grace' });
    const { rows } = await database.pool.query<{ subject: string }>('select subject from refused_people');
    const subjects = new Set(rows.map(({ subject }) => subject));
    expect([subjects.has('ada'), subjects.has('grace'), subjects.has('sub 1')]).toEqual([true, true, false]);

    await database.pool.query(`update refused_people set last_at = now() - interval '31 days' where subject <> 'ada'`);
    expect((await listed()).map(({ subject }) => subject)).toEqual(['ada']);
    await note(stranger);
    expect((await database.pool.query('select from refused_people')).rowCount).toBe(1);
  });
});
