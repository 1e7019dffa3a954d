import { beforeEach, describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../../../frame/page.port.ts';
import { databaseForFile } from '../../../../../test/support/file-database.ts';
import { createAuditLog, type AuditEntry, type AuditLog } from './audit-log.ts';
import { createKeyStore, type KeyStore } from '../../credentials/postgres/key-store.ts';

interface AuditLogSubject {
  audit: AuditLog;
  keys: KeyStore;
  now: () => Promise<Date>;
}

const entry: AuditEntry = {
  apiKey: null,
  method: 'POST',
  route: '/v1/runs/:id/pause',
  subject: 'run_1',
  status: 200,
  requestId: 'req-1',
  detail: {},
};

const database = databaseForFile();

async function makeSubject(): Promise<AuditLogSubject> {
  await database.empty();
  const { pool } = database;
  const now = async () => {
    const { rows } = await pool.query<{ now: Date }>('select now()');
    return rows[0]?.now ?? expect.fail('the database does not know the time');
  };
  return { audit: createAuditLog({ pool }), keys: createKeyStore({ pool }), now };
}

describe('the audit log', () => {
  let audit: AuditLog;
  let keys: KeyStore;
  let now: () => Promise<Date>;
  beforeEach(async () => {
    ({ audit, keys, now } = await makeSubject());
  });

  const subjectsOf = async (filter: Parameters<AuditLog['list']>[0]) =>
    (await audit.list(filter, 10, null)).items.map(({ subject }) => subject);

  it('stores the key, the operation, the subject, the time, the result and the detail of a change', async () => {
    const { key } = await keys.add({ name: 'the night shift', digest: 'digest', role: 'operator' });
    const detail = { reason: 'wrong "reward" 🚲', from: { paceUsersPerSecond: null }, users: [1, 2] };
    await audit.record({ ...entry, apiKey: key, detail });

    const [kept] = (await audit.list({}, 10, null)).items;

    expect(kept).toEqual({
      ...entry,
      apiKey: key,
      keyName: 'the night shift',
      detail,
      auditId: kept?.auditId,
      at: kept?.at,
      number: 1,
      hash: kept?.hash,
    });
    expect(Math.abs((await now()).getTime() - (kept?.at.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it('lists the newest entries first, page by page, also while entries are added', async () => {
    for (const subject of ['run_1', 'run_2', 'run_3']) await audit.record({ ...entry, subject });
    const first = await audit.list({}, 2, null);
    await audit.record({ ...entry, subject: 'run_4' });
    const second = await audit.list({}, 2, first.next);
    expect([...first.items, ...second.items].map(({ subject }) => subject)).toEqual(['run_3', 'run_2', 'run_1']);
    expect(second.next).toBeNull();
  });

  it('returns only the entries that match the filters', async () => {
    const { key } = await keys.add({ name: 'one', digest: 'digest-1', role: 'operator' });
    await audit.record({ ...entry, subject: 'run_1', apiKey: key });
    await audit.record({ ...entry, subject: 'run_2', method: 'PATCH', route: '/v1/runs/:id' });
    expect(await subjectsOf({ subject: 'run_2' })).toEqual(['run_2']);
    expect(await subjectsOf({ apiKey: key })).toEqual(['run_1']);
    expect(await subjectsOf({ method: 'PATCH' })).toEqual(['run_2']);
    expect(await subjectsOf({ route: '/v1/runs/:id/pause' })).toEqual(['run_1']);
    expect(await subjectsOf({ route: '/v1/runs/:id', subject: 'run_1' })).toEqual([]);
  });

  it('includes entries of the first moment of a time range, and excludes those of its end', async () => {
    await audit.record(entry);
    const [kept] = (await audit.list({}, 1, null)).items;
    const at = kept?.at ?? new Date(0);
    expect(await subjectsOf({ since: at })).toEqual(['run_1']);
    expect(await subjectsOf({ until: at })).toEqual([]);
    expect(await subjectsOf({ until: new Date(at.getTime() + 1) })).toEqual(['run_1']);
  });

  it('refuses a cursor that is not an id', async () => {
    await expect(audit.list({}, 10, 'nonsense')).rejects.toThrow(InvalidCursorError);
  });
});
