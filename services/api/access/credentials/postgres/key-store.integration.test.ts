import { beforeEach, describe, expect, it } from 'vitest';
import { noBounds } from '../../../../../shared/domain/key-bounds.ts';
import { wholeScope } from '../../../../../shared/domain/scopes.ts';
import { databaseForFile } from '../../../../../test/support/file-database.ts';
import type { CountedRefusals } from '../../callers/caller-counter.ts';
import { createCallerCountStore } from '../../callers/postgres/caller-count-store.ts';
import type { KeyFilter } from './key-list.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { createPersonStore } from './person-store.ts';

const unknown = '01938f1e-7c00-7000-8000-000000000001';
const client = '01938f1e-7c00-7000-8000-00000000000c';

const database = databaseForFile();

describe('API keys', () => {
  let keys: KeyStore;
  beforeEach(async () => {
    await database.empty();
    keys = createKeyStore({ pool: database.pool });
  });

  const add = (digest: string, name = 'a service') => keys.add({ name, digest, role: 'scheduler' });
  const find = async (digest: string) => {
    const found = (await keys.find([digest])).get(digest);
    return found?.isGood === true ? found.apiKey : undefined;
  };
  /** Returns the key under which a refused secret is counted. */
  const refusedFor = async (digest: string) => {
    const found = (await keys.find([digest])).get(digest);
    return found?.isGood === false ? found.apiKey.key : undefined;
  };
  const names = async (within = wholeScope) => (await keys.list({ within }, 10, null)).items.map(({ name }) => name);
  const passTime = (seconds: number) =>
    database.pool.query(
      `update api_key_secrets set expires_at = expires_at - $1 * interval '1 second';`.replace('$1', String(seconds)),
    );

  it('are found by the digests of their secrets, many with one look-up', async () => {
    const [one, two] = [await add('digest-1', 'console "east" 🗝'), await add('digest-2')];
    const found = await keys.find(['digest-1', 'digest-2', 'digest-3']);
    expect([...found.keys()].sort()).toEqual(['digest-1', 'digest-2']);
    expect(found.get('digest-1')).toEqual({ apiKey: { ...one, lastUsedAt: null }, isGood: true });
    expect(found.get('digest-2')?.apiKey.key).toBe(two.key);
  });

  it('have owner, role, scope, expiry and creator', async () => {
    const scope = { clients: [client], countries: ['SG', 'ID'], actionTypes: [] };
    const terms = {
      owner: 'orders',
      role: 'manager',
      scope,
      expiresAt: new Date('2126-01-01'),
      createdBy: unknown,
    } as const;
    const added = await keys.add({ name: 'orders', digest: 'digest-1', ...terms });
    expect(added).toMatchObject({ ...terms, revision: 1, state: 'active', revokedAt: null });
    expect(await find('digest-1')).toMatchObject(terms);
  });

  it('are unchanged if a key with the same digest is added again', async () => {
    const added = await add('digest-1', 'first');
    expect(await add('digest-1', 'second')).toEqual(added);
    expect(await names()).toEqual(['first']);
  });

  it('have the time of their last use', async () => {
    const { key } = await add('digest-1');
    expect((await keys.get(key))?.lastUsedAt).toBeNull();
    await find('digest-1');
    expect((await keys.get(key))?.lastUsedAt).toBeInstanceOf(Date);
  });

  it('have the time of their last use written at most once a minute', async () => {
    const { key } = await add('digest-1');
    await find('digest-1');
    const first = (await keys.get(key))?.lastUsedAt;
    await find('digest-1');
    expect((await keys.get(key))?.lastUsedAt).toEqual(first);
  });

  it('are found while another transaction locks their row', async () => {
    const { key } = await add('digest-1');
    const changing = await database.pool.connect();
    try {
      await changing.query('begin');
      await changing.query('select 1 from api_keys where id = $1 for update', [key]);
      expect((await find('digest-1'))?.key).toBe(key);
    } finally {
      await changing.query('rollback');
      changing.release();
    }
  });

  it('are not found after their expiry, and are listed as expired', async () => {
    const { key } = await keys.add({ name: 'old', digest: 'digest-1', role: 'viewer', expiresAt: new Date(0) });
    expect(await find('digest-1')).toBeUndefined();
    expect(await keys.get(key)).toMatchObject({ state: 'expired' });
    expect((await keys.list({ state: 'expired', within: wholeScope }, 10, null)).items).toHaveLength(1);
    expect((await keys.list({ state: 'active', within: wholeScope }, 10, null)).items).toEqual([]);
  });

  it('are found by the old secret until the overlap ends, and by the new one also afterwards', async () => {
    const { key } = await add('before');
    expect((await keys.rotate(key, 'after', 60_000))?.formerUntil).toBeInstanceOf(Date);
    expect((await find('before'))?.key).toBe(key);
    await passTime(61);
    expect(await find('before')).toBeUndefined();
    expect(await find('after')).toMatchObject({ key, formerUntil: null });
  });

  it('lose an older secret at its planned time, even if they were rotated again', async () => {
    const { key } = await add('first');
    await keys.rotate(key, 'second', 60_000);
    await keys.rotate(key, 'third', 3_600_000);
    await passTime(61);
    expect(await find('first')).toBeUndefined();
    expect((await find('second'))?.key).toBe(key);
  });

  it('are not found by the former secret after a rotation without overlap', async () => {
    const { key } = await add('before');
    await keys.rotate(key, 'after', 0);
    expect(await find('before')).toBeUndefined();
    expect((await find('after'))?.key).toBe(key);
  });

  it('are not found after their revocation by any secret, and are listed for thirty days', async () => {
    const { key } = await add('before', 'lost laptop');
    await keys.rotate(key, 'after', 60_000);
    expect(await keys.revoke(key)).toMatchObject({ state: 'revoked' });
    expect(await find('before')).toBeUndefined();
    expect(await find('after')).toBeUndefined();
    expect(await names()).toEqual(['lost laptop']);
    await database.pool.query(`update api_keys set revoked_at = revoked_at - interval '31 days'`);
    expect(await names()).toEqual([]);
  });

  it('stay revoked if their digest is added again', async () => {
    const { key } = await add('digest-1');
    await keys.revoke(key);
    await add('digest-1');
    expect(await find('digest-1')).toBeUndefined();
  });

  it('keep the time of their first revocation, and are neither changed nor rotated after it', async () => {
    const { key, role, scope } = await add('digest-1');
    const revoked = await keys.revoke(key);
    expect(await keys.revoke(key)).toEqual(revoked);
    expect(await keys.rotate(key, 'digest-2', 0)).toBeUndefined();
    const change = { name: 'again', owner: null, role, scope, bounds: noBounds, expiresAt: null };
    expect(await keys.change(key, change, revoked?.revision ?? 0)).toEqual({ kind: 'outdated' });
    expect(await find('digest-2')).toBeUndefined();
  });

  it('are reported as missing if a key to revoke or change does not exist', async () => {
    expect(await keys.revoke(unknown)).toBeUndefined();
    const change = {
      name: 'a',
      owner: null,
      role: 'viewer',
      scope: wholeScope,
      bounds: noBounds,
      expiresAt: null,
    } as const;
    expect(await keys.change(unknown, change, 1)).toEqual({ kind: 'missing' });
  });

  it('are changed only at the expected revision', async () => {
    const { key } = await add('digest-1');
    const change = {
      name: 'b',
      owner: 'team b',
      role: 'viewer',
      scope: wholeScope,
      bounds: noBounds,
      expiresAt: null,
    } as const;
    expect(await keys.change(key, change, 1)).toMatchObject({ kind: 'changed', apiKey: { name: 'b', revision: 2 } });
    expect(await keys.change(key, change, 1)).toEqual({ kind: 'outdated' });
  });

  describe('with an expiry in the past or a revocation', () => {
    const note = (refusals: readonly CountedRefusals[]) =>
      createCallerCountStore({ pool: database.pool })({ refusals, calls: [], people: [] });
    const refusal = { count: 2, lastAgoMs: 1000, lastFrom: '10.20.7.14' };
    const within = wholeScope;

    it('are found by their secrets, which does not count as a use', async () => {
      const { key: old } = await keys.add({ name: 'old', digest: 'old', role: 'viewer', expiresAt: new Date(0) });
      const { key: revoked } = await add('revoked');
      await keys.revoke(revoked);
      const { key: rotated } = await add('before');
      await keys.rotate(rotated, 'after', 0);
      const ofSecrets = await Promise.all(['old', 'revoked', 'before', 'made up'].map(refusedFor));
      expect(ofSecrets).toEqual([old, revoked, rotated, undefined]);
      expect((await keys.get(old))?.lastUsedAt).toBeNull();
    });

    it('have their refused requests counted, with the IP address of the last one', async () => {
      const { key } = await keys.add({ name: 'old', digest: 'old', role: 'viewer', expiresAt: new Date(0) });
      expect((await keys.get(key))?.refusals).toBeNull();
      await note([{ key, ...refusal }]);
      await note([
        { key, count: 1, lastAgoMs: 3_600_000, lastFrom: 'an earlier one' },
        { key: unknown, ...refusal },
      ]);
      const refusals = (await keys.get(key))?.refusals;
      expect(refusals).toEqual({ count: 3, lastAt: refusals?.lastAt, lastFrom: '10.20.7.14' });
      expect(Date.now() - (refusals?.lastAt.getTime() ?? 0)).toBeLessThan(60_000);
    });

    it('are listed separately if requests still use them', async () => {
      const { key } = await keys.add({ name: 'old', digest: 'old', role: 'viewer', expiresAt: new Date(0) });
      await add('good', 'good');
      await note([{ key, ...refusal }]);
      const namesOf = async (refused: boolean) =>
        (await keys.list({ refused, within }, 10, null)).items.map(({ name }) => name);
      expect(await namesOf(true)).toEqual(['old']);
      expect(await namesOf(false)).toEqual(['good']);
      await database.pool.query(`update api_keys set last_refused_at = last_refused_at - interval '8 days'`);
      expect(await namesOf(true)).toEqual([]);
    });

    it('are filtered by expiry, use and kind', async () => {
      const soon = new Date(Date.now() + 13 * 86_400_000);
      const later = new Date(Date.now() + 15 * 86_400_000);
      for (const [name, expiresAt] of Object.entries({ old: new Date(0), soon, later })) {
        await keys.add({ name, digest: name, role: 'viewer', expiresAt });
      }
      await keys.find(['later']);
      const person = { subject: 'ada', name: 'ada', role: 'viewer', scope: wholeScope } as const;
      await createPersonStore({ pool: database.pool }).upsert('https://login.test', person);
      const namesOf = async (filter: Omit<KeyFilter, 'within'>) =>
        (await keys.list({ ...filter, within }, 10, null)).items.map(({ name }) => name).toSorted();
      expect(await namesOf({ endsWithinDays: 14 })).toEqual(['soon']);
      expect(await namesOf({ endsWithinDays: 30 })).toEqual(['later', 'soon']);
      expect(await namesOf({ used: false })).toEqual(['old', 'soon']);
      expect(await namesOf({ used: true })).toEqual(['ada', 'later']);
      expect(await namesOf({ kind: 'person' })).toEqual(['ada']);
      expect(await namesOf({ kind: 'key', used: true })).toEqual(['later']);
    });

    it('have their refused requests counted from zero after a new expiry or secret, but not after a new name', async () => {
      const { key, role, scope } = await add('digest-1');
      const refusals = async () => (await keys.get(key))?.refusals?.count ?? 0;
      const change = { name: 'b', owner: null, role, scope, bounds: noBounds, expiresAt: null };
      await note([{ key, ...refusal }]);
      await keys.change(key, change, 1);
      expect(await refusals()).toBe(2);
      await keys.change(key, { ...change, expiresAt: new Date('2126-01-01') }, 2);
      expect(await refusals()).toBe(0);
      await note([{ key, ...refusal }]);
      await keys.rotate(key, 'digest-2', 0);
      expect(await refusals()).toBe(0);
    });
  });

  it('are listed newest first, page by page', async () => {
    for (const each of ['one', 'two', 'three']) await add(`digest of ${each}`, each);
    const first = await keys.list({ within: wholeScope }, 2, null);
    expect(first.items.map(({ name }) => name)).toEqual(['three', 'two']);
    const second = await keys.list({ within: wholeScope }, 2, first.next);
    expect(second).toMatchObject({ items: [{ name: 'one' }], next: null });
  });

  it('are listed for a key with a scope only if their own scope is within it', async () => {
    const scopes = {
      whole: wholeScope,
      own: { ...wholeScope, clients: [client] },
      none: { ...wholeScope, clients: [] },
    };
    for (const [name, scope] of Object.entries(scopes)) {
      await keys.add({ name, digest: name, role: 'viewer', scope });
    }
    expect(await names(scopes.own)).toEqual(['none', 'own']);
    expect(await names(scopes.none)).toEqual(['none']);
    expect(await names({ clients: null, countries: ['SG'], actionTypes: null })).toEqual([]);
  });
});
