import { beforeEach, describe, expect, it } from 'vitest';
import type { CallLedger } from '../../../services/dispatcher/ports/call-ledger.ts';
import {
  firstMark,
  justAfter,
  partitionBit,
  type BandSpan,
  type DueReferences,
  type Mark,
  type MarkRange,
  type SkippedBands,
} from '../../../services/scheduler/ports/due-references.ts';
import { bandOf } from '../../../shared/domain/job/priority-bands.ts';
import type { JobKey, JobReference } from '../../../shared/domain/job/job-key.ts';
import { clientIdOf, jobIdOf, type JobSubject, type SeedJob } from './job-subject.ts';

export interface DueReferencesSubject extends JobSubject {
  due: DueReferences;
  ledgerOf(owner: string): CallLedger;
}

const leaseMs = 30_000;
/** A mark behind all jobs. */
const last: Mark = { dueUs: 4e15, jobId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

export function describeDueReferences(name: string, makeSubject: () => Promise<DueReferencesSubject>): void {
  describe(`due references: ${name}`, () => {
    let subject: DueReferencesSubject;
    let due: DueReferences;
    beforeEach(async () => {
      subject = await makeSubject();
      ({ due } = subject);
    });

    /** Adds jobs. Numbers that differ by 64 are in the same partition. */
    const add = (...jobs: (Partial<SeedJob> & { number: number })[]): Promise<JobKey[]> =>
      subject.add(
        jobs.map(({ number, ...job }) => ({ jobId: jobIdOf(number), clientId: clientIdOf(1), dueInMs: -1000, ...job })),
      );
    const idsOf = (references: readonly JobReference[]) => references.map(({ jobId }) => jobId);
    const marksOf = (partitions: readonly number[], mark: Mark = firstMark) =>
      partitions.map((partition) => ({ partition, ...mark }));
    const rangeOf = (partition: number, after: Mark = firstMark, until: Mark = last) => ({ partition, after, until });
    /** Returns these bands as passed over in all partitions. */
    const passed = (skip: readonly string[]): SkippedBands => new Map(skip.map((band) => [band, -1n]));
    const sweep = (range: MarkRange, rows: number, skip: readonly string[] = []) =>
      due.sweep([range], passed(skip), rows);
    /** Returns the span of one client's jobs, from the first to the last key inclusive. */
    const spanOf = (partition: number, first: Mark = firstMark, end: Mark = last) => ({ partition, first, last: end });
    const idsOfMarks = (marks: ReadonlyMap<number, Mark>) =>
      Array.from(marks, ([partition, { jobId }]) => [partition, jobId]);
    /** Partition, client and priority, first and last id, and number of rows of each span. */
    const spansOf = (spans: readonly BandSpan[]) =>
      spans.map(({ partition, clientId, priority, first, last: end, rows }) => [
        ...[partition, bandOf(clientId, priority), first.jobId, end.jobId, rows],
      ]);
    const markOf = ({ dueUs, jobId }: JobKey): Mark => ({ dueUs, jobId });

    it('are returned for the requested partitions, complete and oldest first', async () => {
      const keys = await add({ number: 1 }, { number: 65, dueInMs: -5000 }, { number: 2 }, { number: 3 });
      const { due: seen, lateMs } = await due.scan(marksOf([1, 2]), 16, 0);
      expect(idsOf(seen)).toEqual([jobIdOf(65), jobIdOf(1), jobIdOf(2)]);
      expect(seen[1]).toEqual({ ...keys[0], clientId: clientIdOf(1) });
      expect(lateMs).toBeGreaterThanOrEqual(5000);
      expect(lateMs).toBeLessThan(60_000);
    });

    it('skip a backlog of one client, and report the position of the scan', async () => {
      const crowd = { clientId: clientIdOf(2) };
      await add(
        { number: 1, dueInMs: -9000, ...crowd },
        { number: 65, dueInMs: -8000 },
        { number: 129, dueInMs: -7000, ...crowd },
        { number: 193, dueInMs: -6000, ...crowd },
        { number: 2, dueInMs: -5000, ...crowd },
        { number: 66, dueInMs: -4000, clientId: clientIdOf(3) },
        { number: 130, dueInMs: 60_000 },
      );
      // In the second partition, both clients are passed over. In the first partition, at most client 2 is passed over.
      const peeks = (isSkippedInFirst: boolean, rows: number) => {
        const skippedBands = new Map([
          [clientIdOf(2), partitionBit(2) | (isSkippedInFirst ? partitionBit(1) : 0n)],
          [clientIdOf(3), partitionBit(2) | partitionBit(63)],
        ]);
        return due.peek(marksOf([1, 2]), skippedBands, rows);
      };
      const whole = await peeks(true, 5);
      expect(idsOf(whole.due)).toEqual([jobIdOf(65)]);
      expect(whole.isFull).toBe(false);
      expect(whole.lateMs).toBeGreaterThanOrEqual(8000);
      expect(idsOfMarks(whole.readUpTo)).toEqual([
        [1, jobIdOf(193)],
        [2, jobIdOf(66)],
      ]);
      const part = await peeks(true, 3);
      expect(part).toMatchObject({ isFull: true });
      expect(idsOf(part.due)).toEqual([jobIdOf(65)]);
      expect(idsOfMarks(part.readUpTo)).toEqual([
        [1, jobIdOf(129)],
        [2, jobIdOf(66)],
      ]);
      expect(idsOf((await peeks(false, 5)).due)).toEqual([1, 65, 129, 193].map(jobIdOf));
    });

    it('report the spans of skipped clients and priorities, each from first to last job', async () => {
      const [crowd, other] = [clientIdOf(2), clientIdOf(3)];
      const keys = await add(
        { number: 1, dueInMs: -9000, clientId: crowd },
        { number: 65, dueInMs: -8000, clientId: crowd },
        { number: 129, dueInMs: -7000 },
        { number: 193, dueInMs: -6000, clientId: crowd },
        { number: 257, dueInMs: -5000, clientId: other },
        { number: 321, dueInMs: -4000, clientId: other, priority: 'high' },
        { number: 385, dueInMs: -3000, clientId: crowd },
        { number: 449, dueInMs: -2800 },
        { number: 513, dueInMs: -2600 },
        { number: 2, dueInMs: -2000, clientId: crowd },
      );
      await subject.ledgerOf('a').flush({ results: [], claims: keys.slice(0, 1) });
      const skip = [crowd, other, bandOf(other, 'high')];
      const spans = [
        [1, crowd, jobIdOf(1), jobIdOf(65), 2],
        [1, crowd, jobIdOf(193), jobIdOf(193), 1],
        [1, other, jobIdOf(257), jobIdOf(257), 1],
        [1, bandOf(other, 'high'), jobIdOf(321), jobIdOf(321), 1],
        [1, crowd, jobIdOf(385), jobIdOf(385), 1],
      ];
      const peeked = await due.peek(marksOf([1, 2]), passed(skip), 16);
      expect(spansOf(peeked.passed)).toEqual([...spans, [2, crowd, jobIdOf(2), jobIdOf(2), 1]]);
      expect(peeked.passed[0]?.first).toEqual(keys[0] && markOf(keys[0]));
      expect(spansOf((await due.peek(marksOf([1]), passed(skip), 4)).passed)).toEqual(spans.slice(0, 2));
    });

    it('exclude jobs that are not due, and report when the next job is due', async () => {
      await add({ number: 1, dueInMs: 60_000 }, { number: 65, dueInMs: 90_000 });
      expect(await due.scan(marksOf([1]), 16, 1000)).toEqual({ due: [], nextInMs: null, lateMs: 0 });
      const { nextInMs, ...found } = await due.scan(marksOf([1]), 16, 120_000);
      expect(found).toEqual({ due: [], lateMs: 0 });
      expect(nextInMs).toBeGreaterThan(0);
      expect(nextInMs).toBeLessThanOrEqual(60_000);
    });

    it('exclude jobs before the mark, to the microsecond and the id', async () => {
      const keys = await add(
        { number: 1, dueInMs: -3000 },
        { number: 65, dueInMs: -2000 },
        { number: 129, dueInMs: -1000 },
      );
      const [first] = keys;
      if (!first) throw new Error('nothing was added');
      const behindFirst = await due.scan(marksOf([1], markOf(first)), 16, 0);
      expect(idsOf(behindFirst.due)).toEqual([jobIdOf(65), jobIdOf(129)]);
      const before = { ...markOf(first), jobId: jobIdOf(0) };
      expect(idsOf((await due.scan(marksOf([1], before), 16, 0)).due)[0]).toBe(jobIdOf(1));
    });

    it('are limited per partition', async () => {
      await add(...Array.from({ length: 10 }, (_, index) => ({ number: 1 + 64 * (index % 5) + (index < 5 ? 0 : 1) })));
      const { due: seen } = await due.scan(marksOf([1, 2]), 3, 0);
      expect(seen.map(({ partition }) => partition)).toEqual([1, 1, 1, 2, 2, 2]);
    });

    it('exclude sidelined jobs', async () => {
      await add({ number: 1, sideline: 'one.example' });
      expect((await due.scan(marksOf([1]), 16, 1e12)).due).toEqual([]);
      expect((await sweep(rangeOf(1), 16)).found).toEqual([]);
    });

    it('return again unclaimed jobs of the second up to and including the mark', async () => {
      const keys = await add(
        { number: 1, dueInMs: -5000 },
        { number: 65, dueInMs: -1800 },
        { number: 129, dueInMs: -1500 },
        { number: 193, dueInMs: -1200 },
        { number: 257, dueInMs: -100 },
      );
      const [, , called, mark] = keys;
      if (!called || !mark) throw new Error('nothing was added');
      await subject.ledgerOf('a').flush({ results: [], claims: [called] });
      const { late } = await due.scanLate(marksOf([1], markOf(mark)), null);
      expect(idsOf(late)).toEqual([jobIdOf(65), jobIdOf(193)]);
    });

    it('leave jobs that were due more than ten seconds ago to the sweep, even if the mark does not move', async () => {
      const [, old, , mark] = await add(
        { number: 1, dueInMs: -60_500 },
        { number: 65, dueInMs: -60_000 },
        { number: 129, dueInMs: -1500 },
        { number: 193, dueInMs: -1000 },
      );
      if (!old || !mark) throw new Error('nothing was added');
      expect(idsOf((await due.scanLate(marksOf([1], markOf(old)), null)).late)).toEqual([]);
      const { late } = await due.scanLate(marksOf([1], markOf(mark)), null);
      expect(idsOf(late)).toEqual([jobIdOf(129), jobIdOf(193)]);
    });

    it('return jobs that were inserted before the mark since the previous late look', async () => {
      const [mark] = await add({ number: 1, dueInMs: -1000 });
      if (!mark) throw new Error('nothing was added');
      const { horizon } = await due.scanLate(marksOf([1], markOf(mark)), null);
      await add({ number: 65, dueInMs: -1200 });
      expect(idsOf((await due.scanLate(marksOf([1], markOf(mark)), horizon)).late)).toContain(jobIdOf(65));
    });

    it('can be read for one client between two keys', async () => {
      const [first, , third] = await add(
        { number: 1, dueInMs: -4000 },
        { number: 65, dueInMs: -3000, clientId: clientIdOf(2) },
        { number: 129, dueInMs: -2000 },
        { number: 193, dueInMs: -1000 },
      );
      if (!first || !third) throw new Error('nothing was added');
      const lookOf = async (span: ReturnType<typeof spanOf>, limit = 16) =>
        idsOf(
          (await due.readOfClients([{ ...span, clientId: clientIdOf(1), limit }], 16)).flatMap(({ found }) => found),
        );
      expect(await lookOf(spanOf(1))).toEqual([jobIdOf(1), jobIdOf(129), jobIdOf(193)]);
      expect(await lookOf(spanOf(1, markOf(first), markOf(third)))).toEqual([jobIdOf(1), jobIdOf(129)]);
      expect(await lookOf(spanOf(1, justAfter(markOf(first)), markOf(third)))).toEqual([jobIdOf(129)]);
      expect(await lookOf(spanOf(1), 1)).toEqual([jobIdOf(1)]);
    });

    it('can be read for several clients, each with its own limit, without claimed jobs', async () => {
      const [called] = await add(
        { number: 1, dueInMs: -4000 },
        { number: 65, dueInMs: -3000 },
        { number: 129, dueInMs: -2000 },
        { number: 2, dueInMs: -2000, clientId: clientIdOf(2) },
        { number: 66, dueInMs: -1000, clientId: clientIdOf(2) },
      );
      if (!called) throw new Error('nothing was added');
      await subject.ledgerOf('a').flush({ results: [], claims: [called] });
      const ranges = [
        { ...spanOf(1), clientId: clientIdOf(1), limit: 16 },
        { ...spanOf(2), clientId: clientIdOf(2), limit: 1 },
      ];
      const read = await due.readOfClients(ranges, 16);
      expect(read.map(({ found }) => idsOf(found))).toEqual([[jobIdOf(65), jobIdOf(129)], [jobIdOf(2)]]);
    });

    it('are read for a client with a limit on scanned rows, and the position is returned', async () => {
      const crowd = { clientId: clientIdOf(2) };
      const [, second, own, fourth, last] = await add(
        { number: 1, dueInMs: -5000, ...crowd },
        { number: 65, dueInMs: -4000, ...crowd },
        { number: 129, dueInMs: -3000 },
        { number: 193, dueInMs: -2000, ...crowd },
        { number: 257, dueInMs: -1000 },
      );
      if (!second || !own || !fourth || !last) throw new Error('nothing was added');
      const read = async (after: Mark, limit: number, rows: number) => {
        const [{ found, readUpTo } = { found: [], readUpTo: null }] = await due.readOfClients(
          [{ ...spanOf(1, justAfter(after)), clientId: clientIdOf(1), limit }],
          rows,
        );
        return [idsOf(found), readUpTo];
      };
      expect(await read(firstMark, 16, 2)).toEqual([[], markOf(second)]);
      expect(await read(markOf(second), 16, 2)).toEqual([[jobIdOf(129)], markOf(fourth)]);
      expect(await read(firstMark, 1, 16)).toEqual([[jobIdOf(129)], markOf(own)]);
      expect(await read(firstMark, 2, 16)).toEqual([[jobIdOf(129), jobIdOf(257)], markOf(last)]);
      expect(await read(markOf(second), 16, 4)).toEqual([[jobIdOf(129), jobIdOf(257)], null]);
    });

    it('include in a sweep only unclaimed jobs up to the mark, and nothing newer', async () => {
      const [, called, until] = await add(
        { number: 1, dueInMs: -4000 },
        { number: 65, dueInMs: -3000 },
        { number: 129, dueInMs: -2000 },
        { number: 193, dueInMs: -1000 },
      );
      if (!called || !until) throw new Error('nothing was added');
      await subject.ledgerOf('a').flush({ results: [], claims: [called] });
      const range = rangeOf(1, firstMark, markOf(until));
      expect(idsOf((await sweep(range, 16)).found)).toEqual([jobIdOf(1), jobIdOf(129)]);
      await subject.passTime(leaseMs + 1);
      const all = await sweep(range, 16);
      expect(idsOf(all.found)).toEqual([jobIdOf(1), jobIdOf(65), jobIdOf(129)]);
      expect(all.readUpTo).toEqual(new Map());
    });

    it('skip clients that are behind in a sweep, and report the position of the scan', async () => {
      const crowd = { clientId: clientIdOf(2) };
      const [, second] = await add(
        { number: 1, dueInMs: -4000 },
        { number: 65, dueInMs: -3000, ...crowd },
        { number: 129, dueInMs: -2000, ...crowd },
        { number: 193, dueInMs: -1000 },
      );
      if (!second) throw new Error('nothing was added');
      const first = await sweep(rangeOf(1), 2, [clientIdOf(2)]);
      expect(idsOf(first.found)).toEqual([jobIdOf(1)]);
      expect(first.readUpTo).toEqual(new Map([[1, markOf(second)]]));
      const rest = await sweep(rangeOf(1, markOf(second)), 3, [clientIdOf(2)]);
      expect(idsOf(rest.found)).toEqual([jobIdOf(193)]);
      expect(rest.readUpTo).toEqual(new Map());
    });

    it('carry a priority, and each priority is skipped, read and swept separately', async () => {
      await add(
        { number: 1, dueInMs: -6000, priority: 'high' },
        { number: 65, dueInMs: -5000 },
        { number: 129, dueInMs: -4000, priority: 'low' },
        { number: 193, dueInMs: -3000, clientId: clientIdOf(2), priority: 'high' },
        { number: 257, dueInMs: -2000 },
        { number: 321, dueInMs: -1000, clientId: clientIdOf(2) },
      );
      const { due: seen } = await due.scan(marksOf([1]), 16, 0);
      const usual = undefined;
      expect(seen.map(({ priority }) => priority)).toEqual(['high', usual, 'low', 'high', usual, usual]);

      const high = bandOf(clientIdOf(1), 'high');
      const passing = async (...skip: string[]) => {
        const peeked = await due.peek(marksOf([1]), passed(skip), 16);
        return [idsOf(peeked.due), idsOf((await sweep(rangeOf(1), 16, skip)).found)];
      };
      const without = (...numbers: number[]) =>
        [1, 65, 129, 193, 257, 321].filter((number) => !numbers.includes(number)).map(jobIdOf);
      expect(await passing(high)).toEqual([without(1), without(1)]);
      expect(await passing(clientIdOf(1))).toEqual([without(65, 257), without(65, 257)]);
      expect(await passing(clientIdOf(1), bandOf(clientIdOf(1), 'low'))).toEqual([
        without(65, 129, 257),
        without(65, 129, 257),
      ]);

      const ofClient = { ...spanOf(1), clientId: clientIdOf(1), limit: 16 };
      const reads = await due.readOfClients(
        [{ ...ofClient, priority: 'high' }, ofClient, { ...ofClient, priority: 'low' }],
        16,
      );
      expect(reads.map(({ found }) => found.map(({ jobId, priority }) => [jobId, priority]))).toEqual([
        [[jobIdOf(1), 'high']],
        [
          [jobIdOf(65), usual],
          [jobIdOf(257), usual],
        ],
        [[jobIdOf(129), 'low']],
      ]);
    });

    it('keep the priority after a claim and after a retry', async () => {
      const [urgent] = await add({ number: 1, dueInMs: -4000, priority: 'high' });
      if (!urgent) throw new Error('nothing was added');
      const ledger = subject.ledgerOf('a');
      const { claimed } = await ledger.flush({ results: [], claims: [urgent] });
      const [{ epoch } = { epoch: 0 }] = claimed;
      const note = { status: 503, latencyMs: 1, error: 'http-503', answer: null };
      const verdict = { kind: 'retry', delayMs: 0 } as const;
      await ledger.flush({ results: [{ ...urgent, epoch, verdict, note }], claims: [] });
      await subject.passTime(1);
      const [again] = (await due.scan(marksOf([1]), 16, 60_000)).due;
      expect(again).toMatchObject({ jobId: urgent.jobId, priority: 'high' });
    });

    it('include jobs claimed by a dead dispatcher in sweeps and in reads for a client', async () => {
      const keys = await add({ number: 1, dueInMs: -4000 });
      const [claimed] = keys;
      if (!claimed) throw new Error('nothing was added');
      await subject.nodes.beat({ owner: 'a', kind: 'dispatcher', region: 'local', figures: {}, credit: null }, 10_000);
      await subject.ledgerOf('a').flush({ results: [], claims: keys });
      const range = rangeOf(1, firstMark, markOf(claimed));
      const ofClient = { ...spanOf(1, firstMark, markOf(claimed)), clientId: clientIdOf(1), limit: 16 };
      const ownIds = async () => (await due.readOfClients([ofClient], 16)).flatMap(({ found }) => idsOf(found));
      expect([await due.sweepLapsed([range], 16), await ownIds()]).toEqual([[], []]);
      await subject.passTime(10_001);
      expect(idsOf(await due.sweepLapsed([range], 16))).toEqual([jobIdOf(1)]);
      expect(await ownIds()).toEqual([jobIdOf(1)]);
    });

    it('can be restricted in a sweep to claimed jobs whose lease has expired', async () => {
      const [, claimed, until, newer] = await add(
        { number: 1, dueInMs: -4000 },
        { number: 65, dueInMs: -3000 },
        { number: 129, dueInMs: -2000 },
        { number: 193, dueInMs: -1000 },
      );
      if (!claimed || !until || !newer) throw new Error('nothing was added');
      await subject.ledgerOf('a').flush({ results: [], claims: [claimed, until, newer] });
      const range = rangeOf(1, firstMark, markOf(until));
      expect(await due.sweepLapsed([range], 16)).toEqual([]);
      await subject.passTime(leaseMs + 1);
      expect(idsOf(await due.sweepLapsed([range], 16))).toEqual([jobIdOf(65), jobIdOf(129)]);
      expect(idsOf(await due.sweepLapsed([range], 1))).toEqual([jobIdOf(65)]);
      expect(idsOf(await due.sweepLapsed([rangeOf(1, markOf(claimed), markOf(until))], 16))).toEqual([jobIdOf(129)]);
    });
  });
}
