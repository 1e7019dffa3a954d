import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import type { JobIntake, JobToStore } from '../../../shared/ports/job-intake.ts';

export interface JobIntakeSubject {
  intake: JobIntake;
  /** Returns the time of the store's clock in milliseconds since 1970. */
  now(): Promise<number>;
  /** Returns the stored job. */
  stored(jobId: string): Promise<StoredForTest | undefined>;
  /** Ends a stored job as called, or as dead. */
  end(jobId: string, outcome: 'called' | 'dead'): Promise<void>;
  accepted(clientId: string): Promise<number>;
}

export interface StoredForTest {
  clientId: string;
  dueAtMs: number;
  expiresAtMs: number | null;
  key: string | null;
  method: string;
  url: string;
  headers: string | null;
  body: string | null;
  tags: readonly string[] | null;
}

const hourMs = 3_600_000;

export function describeJobIntake(name: string, makeSubject: () => Promise<JobIntakeSubject>): void {
  describe(`the intake of jobs ${name}`, () => {
    let subject: JobIntakeSubject;
    const clientId = uuidv7();
    beforeEach(async () => {
      subject = await makeSubject();
    });

    const jobOf = (changes: Partial<JobToStore> = {}): JobToStore => ({
      jobId: jobIdOf(clientId, changes.key ?? null),
      clientId,
      key: null,
      dueAt: new Date('2100-01-01T09:00:00.000Z'),
      delayMs: 0,
      relevancyMs: null,
      method: 'POST',
      url: 'https://shop.test/hook',
      headers: null,
      body: '{"order":17}',
      tags: null,
      scheduleId: null,
      ...changes,
    });

    it('stores jobs and counts them as accepted', async () => {
      const jobs = [jobOf(), jobOf({ key: 'order-17' }), jobOf()];
      const due = await subject.intake.store(jobs, 3);
      expect([...due.keys()].sort()).toEqual(jobs.map(({ jobId }) => jobId).sort());
      expect(new Set(due.values())).toEqual(new Set([Date.parse('2100-01-01T09:00:00.000Z')]));
      expect(await subject.accepted(clientId)).toBe(3);
    });

    it('stores every text unchanged', async () => {
      const texts = ['plain', 'NULL', '', '{"a":"b,c"}', 'quote " and \\ back', 'ünïcødé 💡', 'two\nlines\t'];
      const jobs = texts.map((body) => jobOf({ body, headers: JSON.stringify({ 'x-a': body }), tags: ['a:1', 'b'] }));
      await subject.intake.store(jobs, 3);
      for (const [index, { jobId }] of jobs.entries()) {
        const body = texts[index];
        expect(await subject.stored(jobId)).toMatchObject({
          body,
          headers: JSON.stringify({ 'x-a': body }),
          tags: ['a:1', 'b'],
        });
      }
      const bare = jobOf({ body: null });
      await subject.intake.store([bare], 3);
      expect(await subject.stored(bare.jobId)).toMatchObject({ body: null, headers: null, tags: null, key: null });
    });

    it('counts a delay from now, and sets a past due time to now, so that no job is behind the marks', async () => {
      const before = await subject.now();
      const delayed = jobOf({ dueAt: null, delayMs: hourMs, relevancyMs: 60_000 });
      const past = jobOf({ dueAt: new Date('2001-01-01T00:00:00.000Z'), relevancyMs: 60_000 });
      await subject.intake.store([delayed, past], 3);
      const after = await subject.now();

      const [later, now] = [await subject.stored(delayed.jobId), await subject.stored(past.jobId)];
      expect(later?.dueAtMs).toBeGreaterThanOrEqual(before + hourMs);
      expect(later?.dueAtMs).toBeLessThanOrEqual(after + hourMs);
      expect(later?.expiresAtMs).toBe((later?.dueAtMs ?? 0) + 60_000);
      expect(now?.dueAtMs).toBeGreaterThanOrEqual(before);
      expect(now?.dueAtMs).toBeLessThanOrEqual(after);
      expect(now?.expiresAtMs).toBe((now?.dueAtMs ?? 0) + 60_000);
    });

    it('stores an idempotency key once, and a repeat changes and counts nothing and returns the stored job', async () => {
      const first = jobOf({ key: 'order-17' });
      await subject.intake.store([first], 3);
      const repeat = jobOf({ key: 'order-17', body: 'something else' });
      expect([...(await subject.intake.store([repeat, jobOf()], 4)).keys()]).not.toContain(first.jobId);
      expect(await subject.accepted(clientId)).toBe(2);
      expect(await subject.stored(first.jobId)).toMatchObject({ body: first.body, key: 'order-17' });
      const dueAtMs = first.dueAt?.getTime();
      expect(await subject.intake.known([first, jobOf(), repeat])).toEqual([
        { dueAtMs, isSameCall: true },
        undefined,
        { dueAtMs, isSameCall: false },
      ]);
    });

    it.each(['called', 'dead'] as const)(
      'stores an idempotency key once even after its job has ended as %s',
      async (outcome) => {
        const first = jobOf({ key: 'order-17' });
        await subject.intake.store([first], 3);
        await subject.end(first.jobId, outcome);

        expect((await subject.intake.store([jobOf({ key: 'order-17' })], 3)).size).toBe(0);
        expect(await subject.accepted(clientId)).toBe(1);
      },
    );

    const otherCalls: readonly [string, Partial<JobToStore>][] = [
      ['another body', { body: '{"order":18}' }],
      ['no body', { body: null }],
      ['an empty body', { body: '' }],
      ['other headers', { headers: '{"x-a":"c"}' }],
      ['no headers', { headers: null }],
      ['another method', { method: 'PUT' }],
      ['another URL', { url: 'https://shop.test/other' }],
    ];
    const sameCalls: readonly [string, Partial<JobToStore>][] = [
      ['nothing else', {}],
      ['another time', { dueAt: null, delayMs: 5 }],
    ];
    describe.each(['pending', 'called', 'dead'] as const)(
      'the known job of an idempotency key in the state %s',
      (state) => {
        it.each([
          ...otherCalls.map(([what, changes]) => ({ what, changes, isSameCall: false })),
          ...sameCalls.map(([what, changes]) => ({ what, changes, isSameCall: true })),
        ])('is compared with the repeated call: $what, same call $isSameCall', async ({ changes, isSameCall }) => {
          const first = jobOf({ key: 'order-17', headers: '{"x-a":"b"}' });
          await subject.intake.store([first], 3);
          if (state !== 'pending') await subject.end(first.jobId, state);
          const known = await subject.intake.known([{ ...first, ...changes }]);
          expect(known.map((each) => each?.isSameCall)).toEqual([isSameCall]);
        });
      },
    );

    it.each(['pending', 'called', 'dead'] as const)('recognises a call with other sealed values: %s', async (state) => {
      const first = jobOf({ key: 'order-17', url: 'https://shop.test/?#sealed=a', headers: '{"x-a":"a"}' });
      await subject.intake.store([first], 3);
      if (state !== 'pending') await subject.end(first.jobId, state);
      const now = { ...first, url: 'https://shop.test/?#sealed=b', headers: '{"x-a":"b"}' };
      const other = { url: first.url, headers: '{"x-a":"c"}' };
      const alike = (calls: Pick<JobToStore, 'url' | 'headers'>[]) => ({ ...now, alike: () => calls });
      const known = await subject.intake.known([now, alike([other, first]), alike([other]), jobOf()]);
      expect(known.map((each) => each?.isSameCall)).toEqual([false, true, false, undefined]);
    });

    it('distinguishes an empty body from no body after the end of the job', async () => {
      const first = jobOf({ key: 'order-17', body: '' });
      await subject.intake.store([first], 3);
      await subject.end(first.jobId, 'called');
      const known = await subject.intake.known([first, { ...first, body: null }]);
      expect(known.map((each) => each?.isSameCall)).toEqual([true, false]);
    });

    it('stores a job once if the request is repeated, also if it has ended in the meantime', async () => {
      const [pending, ended, lost] = [jobOf(), jobOf(), jobOf()];
      await subject.intake.store([pending, ended], 3);
      await subject.end(ended.jobId, 'called');
      const again = await subject.intake.store([pending, ended, lost], 3, true);
      expect([...again.keys()]).toEqual([lost.jobId]);
      expect(await subject.accepted(clientId)).toBe(3);
    });

    it('stores each job once if many callers send the same jobs at once', async () => {
      const keys = Array.from({ length: 60 }, (_, index) => `order-${index}`);
      const turned = (by: number) => [...keys.slice(by), ...keys.slice(0, by)].map((key) => jobOf({ key }));
      const stored = await Promise.all(
        [0, 10, 20, 30, 40, 50].map((by, index) => subject.intake.store(turned(by), index)),
      );
      expect(stored.reduce((sum, each) => sum + each.size, 0)).toBe(60);
      expect(await subject.accepted(clientId)).toBe(60);
    });
  });
}
