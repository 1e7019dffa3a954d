import { describe, expect, it } from 'vitest';
import { testApiKey } from '../test/support/api-deps.ts';
import { apiOnPostgres } from '../test/support/api-on-postgres.ts';
import { createMuster, MusterProblem } from './muster.ts';

const api = apiOnPostgres();

describe('the SDK', () => {
  it('schedules, finds, reschedules and cancels jobs', async () => {
    const muster = createMuster({ url: await api.start(), apiKey: testApiKey, retries: 0 });
    await api.ask('POST', '/v1/clients', { name: 'orders' });

    const wanted = { client: 'orders', url: 'https://shop.test/hook', delaySeconds: 60, idempotencyKey: 'order-17' };
    const { id, duplicate } = await muster.schedule({ ...wanted, method: 'POST' });
    expect(duplicate).toBe(false);
    const many = await muster.scheduleMany({ client: 'orders', jobs: [{ ...wanted, method: 'POST' }] });
    expect(many).toMatchObject({ duplicates: 1, results: [{ status: 'duplicate', id }] });
    expect((await muster.job(id)).state).toBe('pending');
    expect((await muster.reschedule(id, { dueAt: '2026-03-01T00:00:00Z' })).dueAt).toBe('2026-03-01T00:00:00.000Z');
    const found = [];
    for await (const job of muster.jobs({ client: 'orders' })) found.push(job.id);
    expect(found).toEqual([id]);
    expect(await muster.cancel(id)).toEqual({ id, result: 'cancelled' });
    expect(await muster.ledger('orders')).toMatchObject({ accepted: 1, cancelled: 1, pending: 0 });
    await expect(muster.job('job_01h455vb4pex5vsknk084sn02q')).rejects.toThrow(MusterProblem);
  });
});
