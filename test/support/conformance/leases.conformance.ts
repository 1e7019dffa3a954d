import { beforeEach, describe, expect, it } from 'vitest';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';

export interface LeasesSubject {
  leases: Leases;
  /** Advances the database's clock for leases. */
  passTime: (ms: number) => Promise<void>;
}

const ttlMs = 30_000;

export function describeLeases(name: string, makeSubject: () => Promise<LeasesSubject>): void {
  describe(`leases: ${name}`, () => {
    let leases: Leases;
    let passTime: LeasesSubject['passTime'];
    beforeEach(async () => {
      ({ leases, passTime } = await makeSubject());
    });

    async function acquired(owner: string): Promise<HeldLease> {
      const lease = await leases.acquire('scheduler', owner, ttlMs);
      if (!lease) throw new Error(`${owner} did not get the lease`);
      return lease;
    }

    it('are given to the first owner that requests them, and to no other', async () => {
      const lease = await acquired('a');
      expect(lease).toEqual({ name: 'scheduler', owner: 'a', token: 1 });
      expect(await leases.acquire('scheduler', 'b', ttlMs)).toBeNull();
    });

    it('are given to exactly one of many concurrent owners', async () => {
      const owners = Array.from({ length: 8 }, (_, i) => `owner-${i}`);
      const answers = await Promise.all(owners.map((owner) => leases.acquire('scheduler', owner, ttlMs)));
      expect(answers.filter((lease) => lease !== null)).toHaveLength(1);
    });

    it('are separate for different names', async () => {
      await acquired('a');
      expect(await leases.acquire('another: "name" \\ 🕐', 'b', ttlMs)).toMatchObject({ owner: 'b', token: 1 });
    });

    it('are renewed under the same token if their holder acquires them again', async () => {
      const lease = await acquired('a');
      await passTime(20_000);
      expect(await acquired('a')).toEqual(lease);
      await passTime(20_000);
      expect(await leases.acquire('scheduler', 'b', ttlMs)).toBeNull();
    });

    it('can be taken over after they expire, under a greater token', async () => {
      const lease = await acquired('a');
      await passTime(ttlMs);
      expect((await acquired('b')).token).toBeGreaterThan(lease.token);
    });

    it('get a greater token also for the same holder after they expire', async () => {
      const lease = await acquired('a');
      await passTime(ttlMs);
      expect((await acquired('a')).token).toBeGreaterThan(lease.token);
    });

    it('last their whole time again after each renewal', async () => {
      const lease = await acquired('a');
      await passTime(20_000);
      expect(await leases.renew(lease, ttlMs)).toBe(true);
      await passTime(20_000);
      expect(await leases.renew(lease, ttlMs)).toBe(true);
    });

    it.each<[string, (lease: HeldLease) => Promise<unknown>]>([
      ['acquires them', ({ name, owner }) => leases.acquire(name, owner, 10_000)],
      ['acquires many of them', ({ name, owner }) => leases.acquireSome([{ names: [name], count: 1 }], owner, 10_000)],
      ['renews them', (lease) => leases.renew(lease, 10_000)],
    ])('keep their end if a statement that %s again would end them earlier', async (_, renewAgain) => {
      const lease = await acquired('a');
      await renewAgain(lease);
      await passTime(20_000);
      expect(await leases.acquire('scheduler', 'b', ttlMs)).toBeNull();
      expect(await leases.renew(lease, ttlMs)).toBe(true);
    });

    it('end when their new owner requested, whatever the previous lease was', async () => {
      const lease = await acquired('a');
      await leases.release(lease);
      await leases.acquire('scheduler', 'b', 10_000);
      await passTime(10_000);
      expect(await leases.acquire('scheduler', 'a', ttlMs)).not.toBeNull();
    });

    it('cannot be renewed after they expire, even if no other owner took them', async () => {
      const lease = await acquired('a');
      await passTime(ttlMs);
      expect(await leases.renew(lease, ttlMs)).toBe(false);
    });

    it('cannot be renewed or released under an outdated token', async () => {
      const stale = await acquired('a');
      await passTime(ttlMs);
      const current = await acquired('b');
      expect(await leases.renew(stale, ttlMs)).toBe(false);
      await leases.release(stale);
      expect(await leases.renew(current, ttlMs)).toBe(true);
    });

    it('are free immediately after release, and their token still grows', async () => {
      const lease = await acquired('a');
      await leases.release(lease);
      expect(await leases.renew(lease, ttlMs)).toBe(false);
      expect((await acquired('b')).token).toBeGreaterThan(lease.token);
    });

    const slots = (client: string, count: number) => ({ names: [0, 1, 2].map((nth) => `${client} "${nth}"`), count });
    const namesOf = (held: readonly HeldLease[]) => held.map(({ name }) => name).sort();

    it('are given as many as wanted of each kind, in the order of names', async () => {
      await leases.acquire('x "1"', 'b', ttlMs);
      const held = await leases.acquireSome([slots('y', 1), slots('x', 2), slots('z', 9)], 'a', ttlMs);
      expect(namesOf(held)).toEqual(['x "0"', 'x "2"', 'y "0"', 'z "0"', 'z "1"', 'z "2"']);
      expect(await leases.acquire('x "2"', 'b', ttlMs)).toBeNull();
      expect(await leases.acquire('y "1"', 'b', ttlMs)).not.toBeNull();
    });

    it('are renewed together under the same tokens, and expired ones are acquired under greater tokens', async () => {
      const held = await leases.acquireSome([slots('x', 2)], 'a', ttlMs);
      await passTime(20_000);
      const renewed = await leases.acquireSome([slots('x', 2)], 'a', ttlMs);
      expect(renewed).toEqual(expect.arrayContaining(held));
      await passTime(20_000);
      expect(await leases.acquireSome([slots('x', 2)], 'b', ttlMs)).toMatchObject([{ name: 'x "2"', token: 1 }]);
      await passTime(ttlMs);
      const taken = await leases.acquireSome([slots('x', 2)], 'b', ttlMs);
      expect(taken.map(({ owner, token }) => [owner, token])).toEqual([
        ['b', 2],
        ['b', 2],
      ]);
    });

    it('are each given to exactly one of several owners that request all of them at once', async () => {
      const owners = Array.from({ length: 6 }, (_, i) => `owner-${i}`);
      const wanted = Array.from({ length: 40 }, (_, nth) => slots(`c${nth}`, 3));
      const held = await Promise.all(
        owners.map((owner, nth) => leases.acquireSome(nth % 2 === 0 ? wanted : wanted.toReversed(), owner, ttlMs)),
      );
      const names = namesOf(held.flat());
      expect(names).toHaveLength(120);
      expect(new Set(names).size).toBe(120);
    });

    it('are freed together on release, except for lost ones', async () => {
      const held = await leases.acquireSome([slots('x', 3)], 'a', ttlMs);
      await passTime(ttlMs);
      const [lost] = await leases.acquireSome([slots('x', 1)], 'b', ttlMs);
      const again = await leases.acquireSome([slots('x', 2)], 'a', ttlMs);
      await leases.releaseAll([...held, ...again]);
      expect(namesOf(await leases.acquireSome([slots('x', 3)], 'c', ttlMs))).toEqual(['x "1"', 'x "2"']);
      expect(lost && (await leases.renew(lost, ttlMs))).toBe(true);
    });
  });
}
