import { beforeEach, describe, expect, it } from 'vitest';
import { version } from 'uuid';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { createIdempotentRequests, type IdempotentRequests } from './idempotent-requests.ts';

interface IdempotentRequestsSubject {
  requests: IdempotentRequests;
  /** Makes all stored requests older by this time, as if the database's clock had advanced. */
  passTime: (ms: number) => Promise<void>;
}

const apiKey = '01938f1e-7c00-7000-8000-000000000001';
const otherApiKey = '01938f1e-7c00-7000-8000-000000000002';
const answer = { status: 201, body: '{"name":"\\"odd\\" 🧾 100%"}' };

const database = databaseForFile();

async function makeSubject(): Promise<IdempotentRequestsSubject> {
  await database.empty();
  const { pool } = database;
  return {
    requests: createIdempotentRequests({ pool }),
    passTime: async (ms) => {
      await pool.query(`update idempotency_keys set created_at = created_at - $1 * interval '1 ms'`, [ms]);
    },
  };
}

describe('the store of idempotent requests', () => {
  let requests: IdempotentRequests;
  let passTime: IdempotentRequestsSubject['passTime'];
  beforeEach(async () => {
    ({ requests, passTime } = await makeSubject());
  });

  const begin = (key = 'k1', digest = 'd1', by = apiKey) => requests.begin(by, key, digest);

  it('lets a new request continue', async () => {
    expect(await begin()).toMatchObject({ kind: 'new' });
  });

  it('lets exactly one of many concurrent equal requests continue, and refuses the others', async () => {
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => begin()));
    const kinds = verdicts.map((verdict) => verdict.kind).sort();
    expect(kinds).toEqual([...Array.from({ length: 7 }, () => 'in-progress'), 'new']);
  });

  it('does not run an interrupted request again if a second attempt could create another object', async () => {
    await requests.begin(apiKey, 'k1', 'd1', false);
    await passTime(59_000);
    expect(await requests.begin(apiKey, 'k1', 'd1', false)).toEqual({ kind: 'in-progress' });
    await passTime(2000);
    expect(await requests.begin(apiKey, 'k1', 'd1', false)).toEqual({ kind: 'broken-off' });
    expect(await requests.begin(apiKey, 'k1', 'd1')).toMatchObject({ kind: 'new' });
  });

  it('returns the answer of the first request to a repeated request', async () => {
    await begin();
    await requests.complete(apiKey, 'k1', answer);
    expect(await begin()).toEqual({ kind: 'stored', answer });
    expect(await begin()).toEqual({ kind: 'stored', answer });
  });

  it('refuses the same key with another body, before and after the first answer', async () => {
    await begin('k1', 'd1');
    expect(await begin('k1', 'd2')).toEqual({ kind: 'other-body' });
    await requests.complete(apiKey, 'k1', answer);
    expect(await begin('k1', 'd2')).toEqual({ kind: 'other-body' });
  });

  it('treats the same key of two callers as two different keys', async () => {
    await begin('k1', 'd1', apiKey);
    expect(await begin('k1', 'd2', otherApiKey)).toMatchObject({ kind: 'new' });
  });

  it.each([`it's "odd"`, 'back\\slash', '100%', '$1', '🔑', ' '])('accepts %j as a key', async (key) => {
    expect(await begin(key)).toMatchObject({ kind: 'new' });
    await requests.complete(apiKey, key, answer);
    expect(await begin(key)).toEqual({ kind: 'stored', answer });
  });

  it('deletes a request that was abandoned', async () => {
    await begin('k1', 'd1');
    await requests.abandon(apiKey, 'k1');
    expect(await begin('k1', 'd2')).toMatchObject({ kind: 'new' });
  });

  it('does not delete a request that has an answer', async () => {
    await begin();
    await requests.complete(apiKey, 'k1', answer);
    await requests.abandon(apiKey, 'k1');
    expect(await begin()).toEqual({ kind: 'stored', answer });
  });

  it('lets a request be repeated one minute after the first attempt was interrupted without an answer', async () => {
    await begin();
    await passTime(59_000);
    expect(await begin()).toEqual({ kind: 'in-progress' });
    await passTime(2_000);
    expect(await begin()).toMatchObject({ kind: 'new' });
    expect(await begin()).toEqual({ kind: 'in-progress' });
  });

  it('returns the same id for the created object in each attempt of a request, and another id for another request', async () => {
    const first = await begin();
    await passTime(61_000);
    const second = await begin();
    await passTime(61_000);
    const third = await begin();
    const other = await begin('k2');

    const ids = [first, second, third, other].map((verdict) => verdict.kind === 'new' && verdict.createdId);
    expect(ids.every((id) => typeof id === 'string' && version(id) === 7)).toBe(true);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
  });

  it('does not continue an interrupted request with another body', async () => {
    await begin('k1', 'd1');
    await passTime(61_000);
    expect(await begin('k1', 'd2')).toEqual({ kind: 'other-body' });
  });

  it('keeps the first answer if a request that was considered interrupted completes later', async () => {
    await begin();
    await passTime(61_000);
    await begin();
    await requests.complete(apiKey, 'k1', answer);
    await requests.complete(apiKey, 'k1', { status: 500, body: 'late' });
    expect(await begin()).toEqual({ kind: 'stored', answer });
  });

  it('does not return an expired answer', async () => {
    await begin();
    await requests.complete(apiKey, 'k1', answer);
    await passTime(3_600_000);
    expect(await begin()).toEqual({ kind: 'stored', answer });
  });
});
