import { describe, expect, it } from 'vitest';
import { bandOf } from '../../../shared/domain/job/priority-bands.ts';
import { createChance } from '../../../test/simulation/seeded.ts';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { partitionBit, type Mark } from '../ports/due-references.ts';
import { createBackloggedClients } from './backlogged-clients.ts';

const partitions = [0, 1, 31, 32, 62, 63];
const clients = [1, 2, 3].map(clientIdOf);
const anyCredit = { left: () => Infinity, untilRateAllowsMs: () => 0 };
const markAt = (dueUs: number): Mark => ({ dueUs, jobId: jobIdOf(1) });

describe('the clients with due jobs behind the marks (read positions) of partitions', () => {
  it.each([1, 2, 3, 4])('are skipped in exactly the partitions in which they still have a backlog: seed %s', (seed) => {
    const chance = createChance(seed);
    const backlogged = createBackloggedClients();
    for (let step = 0; step < 400; step++) {
      const [clientId, partition, dueUs] = [chance.pick(clients), chance.pick(partitions), 1 + step];
      const priority = chance.happens(0.5) ? ('high' as const) : undefined;
      const band = bandOf(clientId, priority);
      const span = { partition, clientId, priority, first: markAt(dueUs), last: markAt(dueUs), rows: 1 };
      const read = () => {
        const [known] = backlogged.next(1, anyCredit, 0);
        for (const [of, [first]] of known?.waiting ?? []) {
          if (known && first) backlogged.take(bandOf(known.clientId, known.priority), of, first, first.last, 1);
        }
      };
      const moves = [
        () => backlogged.add([{ partition, dueUs, jobId: jobIdOf(step), clientId, ...(priority && { priority }) }]),
        () => backlogged.pass(span),
        () => backlogged.list(span),
        read,
        () => backlogged.stopSkipping(band, partition),
        () => backlogged.settle(band, partition),
        () => backlogged.beginScan(),
        () => backlogged.endScan(),
        () => backlogged.keepOnly(new Set(partitions.filter(() => chance.happens(0.8)))),
      ];
      chance.pick(moves)();
      const skippedBands = backlogged.skippedBands();
      for (const of of clients.flatMap((each) => [bandOf(each), bandOf(each, 'high')])) {
        for (const each of partitions) {
          const isBitSet = ((skippedBands.get(of) ?? 0n) & partitionBit(each)) !== 0n;
          expect(isBitSet, `${of} in ${each} at ${step}`).toBe(backlogged.isSkipped(of, each));
          if (isBitSet) expect(backlogged.skippedPartitions() & partitionBit(each)).not.toBe(0n);
        }
      }
    }
  });

  it('are counted once per client, without clients whose jobs were found only by a sweep', () => {
    const backlogged = createBackloggedClients();
    const spanOf = (client: number, dueUs: number, partition = 1) => {
      return { partition, clientId: clientIdOf(client), first: markAt(dueUs), last: markAt(dueUs), rows: 1 };
    };
    backlogged.pass(spanOf(1, 10));
    backlogged.pass(spanOf(1, 20, 2));
    backlogged.pass({ ...spanOf(1, 30), priority: 'high' });
    backlogged.pass(spanOf(2, 40));
    expect(backlogged.count()).toBe(2);
    const [known] = backlogged.next(2, anyCredit, 0).filter(({ clientId }) => clientId === clientIdOf(2));
    const [span] = known?.waiting.get(1) ?? [];
    if (!span) throw new Error('nothing waits');
    backlogged.take(bandOf(clientIdOf(2)), 1, span, span.last, 1);
    backlogged.list(spanOf(2, 50));
    expect([backlogged.count(), backlogged.size]).toEqual([1, 3]);
  });
});
