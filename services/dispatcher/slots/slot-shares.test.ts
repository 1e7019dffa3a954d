import { describe, expect, it } from 'vitest';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { fc } from '../../../test/support/properties.ts';
import { slotShare } from './slot-shares.ts';

const ownersOf = (count: number) => Array.from({ length: count }, (_, nth) => `d${String(nth).padStart(3, '0')}`);

describe("a dispatcher's share of a client's call slots", () => {
  it("adds up to the client's concurrency over all dispatchers and is nearly equal for each", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 5000 }),
        (concurrency, count, client) => {
          const owners = ownersOf(count);
          const shares = owners.map((owner) => slotShare(concurrency, owners, owner, clientIdOf(client)));
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(concurrency);
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('is 0 for a dispatcher that is not listed', () => {
    expect(slotShare(50, ownersOf(3), 'another', clientIdOf(1))).toBe(0);
  });

  it('is rounded up at a different dispatcher for each client', () => {
    const owners = ownersOf(4);
    const more = Array.from({ length: 4 }, (_, client) =>
      owners.findIndex((owner) => slotShare(5, owners, owner, clientIdOf(client)) === 2),
    );
    expect(new Set(more).size).toBe(4);
  });
});
