import { beforeEach, describe, expect, it } from 'vitest';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';

export interface LeasesSubject {
  leases: Leases;
  /** Moves the database's clock on, as far as leases can tell. */
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

    it('gives a free lease to whoever asks first, and to nobody else', async () => {
      const lease = await acquired('a');
      expect(lease).toEqual({ name: 'scheduler', owner: 'a', token: 1 });
      expect(await leases.acquire('scheduler', 'b', ttlMs)).toBeNull();
    });

    it('goes to exactly one of many that ask at once', async () => {
      const owners = Array.from({ length: 8 }, (_, i) => `owner-${i}`);
      const answers = await Promise.all(owners.map((owner) => leases.acquire('scheduler', owner, ttlMs)));
      expect(answers.filter((lease) => lease !== null)).toHaveLength(1);
    });

    it('keeps leases of different names apart', async () => {
      await acquired('a');
      expect(await leases.acquire('another: "name" \\ 🕐', 'b', ttlMs)).toMatchObject({ owner: 'b', token: 1 });
    });

    it('renews under the same token when its holder asks for it again', async () => {
      const lease = await acquired('a');
      await passTime(20_000);
      expect(await acquired('a')).toEqual(lease);
      await passTime(20_000);
      expect(await leases.acquire('scheduler', 'b', ttlMs)).toBeNull();
    });

    it('can be taken over when it has expired, under a greater token', async () => {
      const lease = await acquired('a');
      await passTime(ttlMs);
      expect((await acquired('b')).token).toBeGreaterThan(lease.token);
    });

    it('gets a greater token for its old holder too once it has expired', async () => {
      const lease = await acquired('a');
      await passTime(ttlMs);
      expect((await acquired('a')).token).toBeGreaterThan(lease.token);
    });

    it('lasts its whole time again from each renewal', async () => {
      const lease = await acquired('a');
      await passTime(20_000);
      expect(await leases.renew(lease, ttlMs)).toBe(true);
      await passTime(20_000);
      expect(await leases.renew(lease, ttlMs)).toBe(true);
    });

    it('cannot be renewed once it has expired, even if nobody else took it', async () => {
      const lease = await acquired('a');
      await passTime(ttlMs);
      expect(await leases.renew(lease, ttlMs)).toBe(false);
    });

    it('cannot be renewed or released under a token that was overtaken', async () => {
      const stale = await acquired('a');
      await passTime(ttlMs);
      const current = await acquired('b');
      expect(await leases.renew(stale, ttlMs)).toBe(false);
      await leases.release(stale);
      expect(await leases.renew(current, ttlMs)).toBe(true);
    });

    it('is free at once when it is released, and its token still grows', async () => {
      const lease = await acquired('a');
      await leases.release(lease);
      expect(await leases.renew(lease, ttlMs)).toBe(false);
      expect((await acquired('b')).token).toBeGreaterThan(lease.token);
    });
  });
}
