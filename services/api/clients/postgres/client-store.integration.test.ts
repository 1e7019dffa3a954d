import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { clientDefinition } from '../../../../shared/contracts/jobs/clients.ts';
import { defaultTerms } from '../../../../shared/contracts/jobs/endpoint-terms.ts';
import { joinInstallation } from '../../../../shared/postgres/registry/installation.ts';
import { createClientSource } from '../../../../shared/postgres/registry/clients.ts';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { newClientOf } from '../../../../test/support/clients.ts';
import { createClientStore } from './client-store.ts';
import { createEndpointStore } from './endpoint-store.ts';

const usual = clientDefinition.parse({});
const usualTerms = defaultTerms.parse({});
const sealed = (secret: string) => `sealed.${secret}`;

const database = databaseForFile();

async function emptied() {
  await database.empty();
  const { pool } = database;
  await joinInstallation(pool, { actionTypes: {} }, { actionTypes: {}, partitionsPerShard: 1 });
  return {
    store: createClientStore({ pool }),
    endpoints: createEndpointStore({ pool }),
    source: createClientSource({ pool }),
  };
}

describe('clients', () => {
  let subject: Awaited<ReturnType<typeof emptied>>;
  beforeEach(async () => {
    subject = await emptied();
  });

  async function moves(work: () => Promise<unknown>): Promise<number> {
    const before = await subject.source.revision();
    await work();
    return (await subject.source.revision()) - before;
  }

  async function make(clientName: string, key?: { keyId: string; sealed: string }) {
    const made = await subject.store.create(newClientOf(clientName));
    if (!made) expect.fail(`${clientName} was not made`);
    if (key) await subject.endpoints.addKey(made.clientId, 'default', { ...key, othersExpireAt: null });
    return made;
  }

  const keysOf = async (clientId: string) => (await subject.store.get(clientId))?.endpoints[0].keys;

  it('are created with a unique name, and every process reads them', async () => {
    const key = { keyId: uuidv7(), sealed: sealed('first') };
    expect(await moves(() => make('orders', key))).toBe(2);
    const other = newClientOf('orders');
    expect(await moves(() => subject.store.create(other))).toBe(0);
    expect(await subject.store.create(other)).toBeUndefined();
    await make('billing');

    const { clients } = await subject.source.read();

    expect(clients).toMatchObject([
      { name: 'billing', revision: 1, endpoints: [{ name: 'default', enabled: true, keys: [] }] },
      {
        name: 'orders',
        revision: 2,
        definition: usual,
        endpoints: [{ endpointId: clients[1]?.clientId, terms: usualTerms, keys: [{ ...key, expiresAt: null }] }],
      },
    ]);
  });

  it('are listed oldest first, page by page', async () => {
    const names = ['c', 'a', 'b'];
    for (const each of names) await make(each);
    const first = await subject.store.list({}, 2, null);
    expect(first.items.map((client) => client.name)).toEqual(['c', 'a']);
    const second = await subject.store.list({}, 2, first.next);
    expect(second).toMatchObject({ items: [{ name: 'b' }], next: null });
    expect((await subject.store.list({ text: 'a' }, 2, null)).items.map(({ name }) => name)).toEqual(['a']);
  });

  it('increment their revision with each change, and otherwise never', async () => {
    const { clientId } = await make('orders');
    const definition = { ...usual, maxSchedules: 7 };
    expect(await moves(() => subject.store.change(clientId, { definition: usual }, null))).toBe(0);
    expect(await moves(() => subject.store.change(clientId, { definition }, 1))).toBe(1);
    expect(await subject.store.get(clientId)).toMatchObject({ revision: 2, definition: { maxSchedules: 7 } });
  });

  it('are changed only at the expected revision', async () => {
    const { clientId } = await make('orders');
    expect(await subject.store.change(clientId, { name: 'other' }, 9)).toMatchObject({ kind: 'outdated' });
    expect(await subject.store.change(uuidv7(), { name: 'other' }, null)).toEqual({ kind: 'missing' });
    expect(await subject.store.get(clientId)).toMatchObject({ name: 'orders', revision: 1 });
  });

  it('cannot have the name of another client', async () => {
    const { clientId } = await make('orders');
    await make('billing');
    expect(await subject.store.change(clientId, { name: 'billing' }, null)).toEqual({ kind: 'name-taken' });
  });

  it('are disabled with a reason, which is removed when they are enabled again', async () => {
    const { clientId } = await make('orders');
    const ofDefault = async () => (await subject.store.get(clientId))?.endpoints[0];
    const disabled = { enabled: false, disabledReason: 'calls in circles' };
    await subject.endpoints.change(clientId, 'default', disabled, null);
    expect(await ofDefault()).toMatchObject(disabled);
    await subject.endpoints.change(clientId, 'default', { enabled: true }, null);
    expect(await ofDefault()).toMatchObject({ enabled: true, disabledReason: null });
  });

  it('keep older signing keys during a rotation: these sign until they expire', async () => {
    const { clientId } = await make('orders', { keyId: uuidv7(), sealed: sealed('first') });
    const othersExpireAt = new Date(Date.now() + 3_600_000_000);
    const second = { keyId: uuidv7(), sealed: sealed('second'), othersExpireAt };
    expect(await moves(() => subject.endpoints.addKey(clientId, 'default', second))).toBe(1);
    expect(await keysOf(clientId)).toMatchObject([
      { sealed: sealed('second'), expiresAt: null },
      { sealed: sealed('first'), expiresAt: othersExpireAt },
    ]);

    const third = { keyId: uuidv7(), sealed: sealed('third'), othersExpireAt: new Date(0) };
    await subject.endpoints.addKey(clientId, 'default', third);
    expect(await keysOf(clientId)).toMatchObject([{ sealed: sealed('third') }]);
  });

  it('no longer sign with a key as soon as it is removed', async () => {
    const key = { keyId: uuidv7(), sealed: sealed('leaked') };
    const { clientId } = await make('orders', key);
    expect(await moves(() => subject.endpoints.removeKey(clientId, 'default', key.keyId))).toBe(1);
    expect(await moves(() => subject.endpoints.removeKey(clientId, 'default', key.keyId))).toBe(0);
    expect(await keysOf(clientId)).toEqual([]);
    expect(await subject.endpoints.removeKey(uuidv7(), 'default', key.keyId)).toBeUndefined();
    expect(await subject.endpoints.addKey(uuidv7(), 'default', { ...key, othersExpireAt: null })).toBeUndefined();
  });
});
