import { describe, expect, it } from 'vitest';
import { validate, version } from 'uuid';
import { jobIdOf, jobPartitionOf } from './job-ids.ts';

const client = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('the id of a job', () => {
  it('is the same for the same client and idempotency key', () => {
    const id = jobIdOf(client, 'order-17');
    expect(jobIdOf(client, 'order-17')).toBe(id);
    expect(validate(id) && version(id)).toBe(8);
    expect(id).toBe('98020963-5005-84bc-adeb-2bea24e6f81a');
  });

  it('differs by idempotency key and by client', () => {
    const other = '01890a5d-ac96-774b-bcce-b302099a8058';
    expect(new Set([jobIdOf(client, 'a'), jobIdOf(client, 'b'), jobIdOf(other, 'a')]).size).toBe(3);
  });

  it('is new without an idempotency key, and begins with the time', () => {
    const ids = Array.from({ length: 2000 }, () => jobIdOf(client, null));
    expect(new Set(ids).size).toBe(2000);
    const [first = ''] = ids;
    expect(version(first)).toBe(7);
    expect(Number.parseInt(first.replace('-', '').slice(0, 12), 16)).toBeCloseTo(Date.now(), -5);
  });

  it.each([
    ['derived', (index: number) => jobIdOf(client, `key-${index}`)],
    ['new', () => jobIdOf(client, null)],
  ])('is spread evenly over all partitions: %s ids', (_kind, idAt) => {
    const counts = new Array<number>(64).fill(0);
    for (let index = 0; index < 6400; index++) {
      const partition = jobPartitionOf(idAt(index));
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(170);
  });
});
