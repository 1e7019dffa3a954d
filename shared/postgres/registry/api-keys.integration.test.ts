import { beforeEach, describe, expect, it } from 'vitest';
import { databaseForFile } from '../../../test/support/file-database.ts';
import type { ApiKeys } from '../../ports/api-keys.ts';
import { createApiKeys } from './api-keys.ts';

const nobody = '01938f1e-7c00-7000-8000-000000000001';

const database = databaseForFile();

async function makeSubject(): Promise<ApiKeys> {
  await database.empty();
  return createApiKeys({ pool: database.pool });
}

describe('API keys', () => {
  let keys: ApiKeys;
  beforeEach(async () => {
    keys = await makeSubject();
  });

  it('finds a key by its digest', async () => {
    const added = await keys.add('console "east" 🗝', 'digest-1', 'manager');
    expect(added).toMatchObject({ name: 'console "east" 🗝', role: 'manager', revokedAt: null });
    expect(await keys.find('digest-1')).toEqual(added);
  });

  it('finds nothing behind a digest that nobody added', async () => {
    expect(await keys.find('digest-1')).toBeUndefined();
  });

  it('leaves a key as it is, its role too, when its digest is added again', async () => {
    const added = await keys.add('first', 'digest-1', 'manager');
    expect(await keys.add('second', 'digest-1', 'operator')).toEqual(added);
    expect(await keys.list()).toEqual([added]);
  });

  it('does not find a revoked key any more, and still lists it', async () => {
    const { key } = await keys.add('lost laptop', 'digest-1', 'manager');
    expect(await keys.revoke(key)).toBe(true);
    expect(await keys.find('digest-1')).toBeUndefined();
    expect((await keys.list())[0]?.revokedAt).toBeInstanceOf(Date);
  });

  it('does not bring a revoked key back when its digest is added again', async () => {
    const { key } = await keys.add('lost laptop', 'digest-1', 'manager');
    await keys.revoke(key);
    await keys.add('lost laptop', 'digest-1', 'manager');
    expect(await keys.find('digest-1')).toBeUndefined();
  });

  it('takes a repeated revocation for done, and keeps the time of the first', async () => {
    const { key } = await keys.add('lost laptop', 'digest-1', 'manager');
    await keys.revoke(key);
    const listed = await keys.list();
    expect(await keys.revoke(key)).toBe(true);
    expect(await keys.list()).toEqual(listed);
  });

  it('cannot revoke a key that is not there', async () => {
    expect(await keys.revoke(nobody)).toBe(false);
  });

  it('lists keys in the order they were added', async () => {
    for (const each of ['one', 'two', 'three']) await keys.add(each, `digest of ${each}`, 'manager');
    expect((await keys.list()).map((record) => record.name)).toEqual(['one', 'two', 'three']);
  });
});
