import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf, type JobSubject } from '../../test/support/conformance/job-subject.ts';
import { dispatcherSubject, topic } from '../../test/support/dispatcher-subject.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { unknownClient } from './jobs/received-reference.ts';

type Jobs = Awaited<ReturnType<JobSubject['add']>>;

/** Starts a dispatcher, and sends it messages that no scheduler has sent. */
async function attacked() {
  const parts = dispatcherSubject();
  const { clock, subject, bus, dispatcherOf } = parts;
  const dispatcher = dispatcherOf('a');
  await dispatcher.start();
  const send = async (clients: readonly string[], jobs: readonly unknown[]) => {
    await bus.publisher().publish([{ topic, value: JSON.stringify({ clients, jobs }) }]);
    await passTime(clock, 200);
  };
  const addDueIn = async (dueInMs: number, client = 1): Promise<Jobs[number]> => {
    const [key] = await subject.add([
      { jobId: 'abcdef00-0000-8000-8000-000000000001', clientId: clientIdOf(client), dueInMs },
    ]);
    if (!key) throw new Error('no job was added');
    return key;
  };
  return { ...parts, dispatcher, send, addDueIn };
}

describe('a forged reference', () => {
  it('to a job that is not due causes no call and is quarantined', async () => {
    const { clock, calls, letters, send, addDueIn } = await attacked();
    const { partition, dueUs, jobId } = await addDueIn(60_000);
    await send([clientIdOf(1)], [[partition, dueUs, jobId, 0]]);
    // No job is due at the forged time.
    await send([clientIdOf(1)], [[partition, clock.nowMs() * 1000, jobId, 0]]);
    expect(calls).toEqual([]);
    expect(letters).toEqual(['a job whose time has not come']);
  });

  it('is quarantined if it names another client, and the job is called for its own client', async () => {
    const { calls, tables, letters, send, addDueIn } = await attacked();
    const { partition, dueUs, jobId } = await addDueIn(0, 1);
    await send([clientIdOf(2)], [[partition, dueUs, jobId, 0]]);
    expect(calls.map(({ limits }) => limits.clientId)).toEqual([clientIdOf(1)]);
    expect(tables.ended.map(({ clientId }) => clientId)).toEqual([clientIdOf(1)]);
    expect(letters).toEqual(['the job of another client']);
  });

  it('does not change the body, address, method or headers of the call', async () => {
    const { bus, clock, calls, addDueIn } = await attacked();
    const { partition, dueUs, jobId } = await addDueIn(0);
    const jobs = [[partition, dueUs, jobId, 0]];
    const own = { url: 'https://evil.example/', body: 'forged', headers: { authorization: 'x' }, method: 'DELETE' };
    await bus.publisher().publish([{ topic, value: JSON.stringify({ clients: [clientIdOf(1)], jobs, ...own }) }]);
    await passTime(clock, 200);
    expect(calls).toMatchObject([{ method: 'POST', origin: 'https://receiver.example' }]);
    expect(calls[0]?.body?.toString()).toBe('{}');
    expect(calls[0]?.headers).not.toContain('authorization');
  });

  it('to another partition or with an upper-case job id does not block the true reference', async () => {
    const { calls, letters, send, addDueIn } = await attacked();
    const { partition, dueUs, jobId } = await addDueIn(0);
    await send([clientIdOf(1)], [[(partition + 1) % 64, dueUs, jobId, 0]]);
    await send([clientIdOf(1)], [[partition, dueUs, jobId.toUpperCase(), 0]]);
    expect(calls).toEqual([]);
    await send([clientIdOf(1)], [[partition, dueUs, jobId, 0]]);
    expect(calls).toHaveLength(1);
    expect(letters).toEqual([
      'not references to jobs: of no client, or of another partition',
      expect.stringMatching(/^not references to jobs: jobs\.0\.2: has to be a uuid in lowercase/),
    ]);
  });

  it('to an unknown client shares one queue with other such references, so that real clients are not delayed', async () => {
    const { clock, calls, clients, subject, dispatcher, dispatcherOf, bus, stop } = await attacked();
    await stop(dispatcher);
    const known = new Set([clientIdOf(1)]);
    const termsOf = (id: string) => {
      const limits = { clientId: id, revision: 1, concurrency: 10, timeoutMs: 1000, egress: [] };
      const sideline = { afterFailures: 5, failureRate: 0.5, probeEveryMs: 30_000, pathPrefixes: [] };
      const retries = { strategy: 'fixed', attempts: 3, delayMs: 1000 } as const;
      const terms = {
        limits,
        ownerId: id,
        pauseReason: null,
        retries,
        sideline,
        onGone: 'dead-letter',
        keepsBodies: true,
        finalCodes: [],
        reportWithinMs: null,
        auth: null,
        sign: () => [],
      } as const;
      return known.has(id) ? { ...terms, ...clients.get(id) } : undefined;
    };
    const next = dispatcherOf('b', clock, { clients: { termsOf } });
    await next.start();
    const madeUp = (nth: number) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
    const references = Array.from({ length: 20_000 }, (_, nth) => madeUp(nth + 1));
    const messages = Array.from({ length: 400 }, (_, page) => {
      const ids = references.slice(page * 50, page * 50 + 50);
      const jobs = ids.map((id, place) => [jobPartitionOf(id), clock.nowMs() * 1000, id, place]);
      return { topic, value: JSON.stringify({ clients: ids, jobs }) };
    });
    await bus.publisher().publish(messages);
    const seeds = Array.from({ length: 40 }, (_, nth) => ({ jobId: jobIdOf(nth + 1), clientId: clientIdOf(1) }));
    const keys = await subject.add(seeds.map((seed) => ({ ...seed, dueInMs: 0 })));
    const jobs = keys.map(({ partition, dueUs, jobId }) => [partition, dueUs, jobId, 0]);
    await bus.publisher().publish([{ topic, value: JSON.stringify({ clients: [clientIdOf(1)], jobs }) }]);
    await passTime(clock, 200);
    expect(calls).toHaveLength(40);
    expect(Object.keys(next.credit()?.toClients ?? {})).toContain(unknownClient);
    await stop(next);
  });
});
