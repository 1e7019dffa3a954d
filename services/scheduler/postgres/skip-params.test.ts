import { describe, expect, it } from 'vitest';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { partitionBit } from '../ports/due-references.ts';
import { skipParams } from './due-references.ts';

const requested = Array.from({ length: 64 }, (_, partition) => ({ partition }));

describe('the query parameters for skipped clients', () => {
  it('take about 20 bytes per client in any number of partitions', () => {
    const skippedBands = new Map(Array.from({ length: 1000 }, (_, n) => [clientIdOf(n + 1), -1n] as const));
    const { everywhere, partly, partlyIn, bands, bandsIn } = skipParams(skippedBands, requested);
    const bytes = [everywhere, partly, partlyIn, bands, bandsIn].reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(22_000);
  });

  it('list partitions only for clients that are skipped in some of the requested partitions', () => {
    const skippedBands = new Map([
      [clientIdOf(1), partitionBit(1) | partitionBit(2)],
      [clientIdOf(2), partitionBit(63)],
      [`${clientIdOf(3)}/high`, partitionBit(2)],
    ]);
    expect(skipParams(skippedBands, [{ partition: 1 }, { partition: 2 }])).toMatchObject({
      partlyIn: '{}',
      bandsIn: '{4}',
    });
    expect(skipParams(skippedBands, requested)).toMatchObject({ partlyIn: '{6,-9223372036854775808}', bandsIn: '{4}' });
  });
});
