import { beforeEach, describe, expect, it } from 'vitest';
import type { RateShares } from '../../../shared/ports/rate-shares.ts';

export interface RateSharesSubject {
  sharesOf(owner: string): RateShares;
  passTime(ms: number): Promise<void>;
}

const leaseMs = 3000;

export function describeRateShares(name: string, makeSubject: () => Promise<RateSharesSubject>): void {
  describe(`rate shares ${name}`, () => {
    let subject: RateSharesSubject;
    let using: Map<string, number>;
    beforeEach(async () => {
      subject = await makeSubject();
      using = new Map();
    });

    /** Asks for a share like a worker that uses its previous share. */
    async function ask(owner: string, demand = 90, actionType = 'award-reward'): Promise<number> {
      const asks = [{ actionType, unit: 'calls', ratePerSecond: 90, demand, using: using.get(owner) ?? 0 } as const];
      const [share = NaN] = await subject.sharesOf(owner).exchange(asks, leaseMs);
      using.set(owner, share);
      return share;
    }
    const askAll = async (...owners: string[]) => {
      const shares: number[] = [];
      for (const owner of owners) shares.push(await ask(owner));
      return shares;
    };

    it('give the whole rate to a single worker', async () => {
      expect(await ask('a')).toBe(90);
    });

    it('reduce the share of a worker first and then give the freed part to another, until both are equal', async () => {
      expect(await askAll('a', 'b')).toEqual([90, 0]);
      expect(await askAll('a', 'b')).toEqual([45, 0]);
      expect(await askAll('a', 'b')).toEqual([45, 45]);
    });

    it('keep the share of a dead worker until its lease ends', async () => {
      for (let round = 0; round < 3; round++) await askAll('a', 'b');
      await subject.passTime(2000);
      expect(await ask('b')).toBe(45);
      await subject.passTime(1000);
      expect(await ask('b')).toBe(90);
    });

    it('are separate for each action type and unit', async () => {
      await ask('a');
      expect(await ask('b', 90, 'send-message')).toBe(90);
      const users = { actionType: 'award-reward', unit: 'users', ratePerSecond: 9000, demand: 9000, using: 0 } as const;
      expect(await subject.sharesOf('b').exchange([users], leaseMs)).toEqual([9000]);
      expect(await subject.sharesOf('b').exchange([], leaseMs)).toEqual([]);
    });

    it('never exceed the rate in total, however many workers request one at once', async () => {
      const owners = Array.from({ length: 8 }, (_, index) => `w${index}`);
      for (let round = 0; round < 4; round++) {
        const before = new Map(using);
        await Promise.all(owners.map((owner) => ask(owner)));
        const held = owners.map((owner) => Math.max(before.get(owner) ?? 0, using.get(owner) ?? 0));
        expect(held.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(90.000_001);
      }
      expect(owners.reduce((sum, owner) => sum + (using.get(owner) ?? 0), 0)).toBeGreaterThan(80);
    });
  });
}
