import { beforeEach, describe, expect, it } from 'vitest';
import type { PartitionLeases } from '../../../services/scheduler/ports/partition-leases.ts';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';

export interface PartitionLeasesSubject {
  partitions: PartitionLeases;
  leases: Leases;
  passTime(ms: number): Promise<void>;
  /** Adds a region, or activates or deactivates it. */
  setRegion(name: string, active: boolean): Promise<void>;
}

/** Name of the leader's lease. The leader assigns partitions. */
export const leaderName = 'job-partitions';
const ttlMs = 9000;
const all = Array.from({ length: 64 }, (_, partition) => partition);

export function describePartitionLeases(name: string, makeSubject: () => Promise<PartitionLeasesSubject>): void {
  describe(`partition leases: ${name}`, () => {
    let subject: PartitionLeasesSubject;
    let partitions: PartitionLeases;
    beforeEach(async () => {
      subject = await makeSubject();
      ({ partitions } = subject);
    });

    const beat = (owner: string, released: readonly number[] = [], figures = {}) =>
      partitions.beat({ owner, kind: 'scheduler', region: 'local', ttlMs, figures }, released);
    const beatOf = async (owner: string, released?: readonly number[]) =>
      (await beat(owner, released)).map(({ partition }) => partition).sort((a, b) => a - b);

    async function lead(): Promise<HeldLease> {
      const lease = await subject.leases.acquire(leaderName, 'leader', 1_000_000);
      if (!lease) throw new Error('somebody else leads');
      return lease;
    }

    const assign = (lease: HeldLease, node: string, of: readonly number[]) =>
      partitions.assign(lease, new Map(of.map((partition) => [partition, node])));

    it('are given to the scheduler that the leader assigned, and to no other', async () => {
      await assign(await lead(), 'a', [1, 5, 63]);
      expect(await beatOf('a')).toEqual([1, 5, 63]);
      expect(await beatOf('b')).toEqual([]);
    });

    it('list a scheduler as alive until a lease after its last heartbeat', async () => {
      await lead();
      await beat('b');
      await beat('a');
      expect((await partitions.assignment()).schedulers).toEqual(['a', 'b']);
      await subject.passTime(ttlMs - 1000);
      await beat('a');
      await subject.passTime(2000);
      expect((await partitions.assignment()).schedulers).toEqual(['a']);
    });

    it('are kept by their owner until it releases them, and are marked as unwanted after reassignment', async () => {
      const lease = await lead();
      await assign(lease, 'a', [1, 2]);
      await beat('a');
      await assign(lease, 'b', [2]);
      expect(await beatOf('b')).toEqual([]);
      const kept = (await beat('a')).map(({ partition, isWanted }) => ({ partition, isWanted }));
      expect(kept.sort((a, b) => a.partition - b.partition)).toEqual([
        { partition: 1, isWanted: true },
        { partition: 2, isWanted: false },
      ]);
      expect(await beatOf('a', [2])).toEqual([1]);
      expect(await beatOf('b')).toEqual([2]);
    });

    it('are given after they expire to the assigned scheduler, under a greater token', async () => {
      const lease = await lead();
      await assign(lease, 'a', [7]);
      const [first] = await beat('a');
      await assign(lease, 'b', [7]);
      await subject.passTime(ttlMs + 1);
      const [second] = await beat('b');
      expect(second?.token).toBeGreaterThan(first?.token ?? Infinity);
      expect(await beatOf('a')).toEqual([]);
    });

    it('keep their token while the owner renews them in time', async () => {
      await assign(await lead(), 'a', [7]);
      const [first] = await beat('a');
      await subject.passTime(ttlMs - 1000);
      expect(await beat('a')).toEqual([first]);
    });

    it('stay with an owner that sends heartbeats, for two thirds of a lease after each', async () => {
      const lease = await lead();
      await assign(lease, 'a', [7]);
      await beat('a');
      await assign(lease, 'b', [7]);
      // At the first heartbeats, the lease need not be renewed yet.
      for (let passed = 0; passed < 9; passed++) {
        await subject.passTime(1000);
        expect(await beatOf('a')).toEqual([7]);
      }
      await subject.passTime(2 * (ttlMs / 3) - 500);
      expect(await beatOf('b')).toEqual([]);
      await subject.passTime(ttlMs);
      expect(await beatOf('b')).toEqual([7]);
    });

    it('are freed immediately when their owner leaves', async () => {
      const lease = await lead();
      await assign(lease, 'a', [7]);
      await beat('a');
      await partitions.leave('a');
      expect((await partitions.assignment()).schedulers).toEqual([]);
      await assign(lease, 'b', [7]);
      expect(await beatOf('b')).toEqual([7]);
    });

    it('are passed by a leaving scheduler to living ones at their next heartbeat, without the leader', async () => {
      const lease = await lead();
      await assign(lease, 'a', [6, 7, 8, 9]);
      await assign(lease, 'b', [1]);
      for (const owner of ['a', 'b', 'c']) await beat(owner);
      await partitions.leave('a');
      expect(await beatOf('b')).toEqual([1, 6, 8]);
      expect(await beatOf('c')).toEqual([7, 9]);
    });

    it('ignore assignments of a former leader', async () => {
      const lease = await lead();
      await subject.leases.release(lease);
      await assign(lease, 'a', [7]);
      expect((await partitions.assignment()).partitions[7]).toEqual({ wanted: null, owner: null });
    });

    it('stay with their owners without a leader, and free ones are adopted after two leases', async () => {
      const lease = await lead();
      await assign(lease, 'a', all.slice(0, 32));
      await assign(lease, 'b', all.slice(32));
      await beat('a');
      await beat('b');
      await subject.leases.release(lease);
      // The owner b sends no more heartbeats.
      for (let passed = 0; passed < 3; passed++) {
        expect(await beatOf('a')).toEqual(all.slice(0, 32));
        await subject.passTime(ttlMs - 1000);
      }
      await beat('a');
      await subject.passTime(ttlMs - 1000);
      expect(await beatOf('a')).toEqual(all);
    });

    it('are not adopted while a leader exists', async () => {
      const lease = await lead();
      await assign(lease, 'b', [3]);
      await beat('b');
      await subject.passTime(4 * ttlMs);
      expect(await beatOf('a')).toEqual([]);
    });

    it('are neither assigned to nor adopted by a scheduler of a region that is switched off', async () => {
      const lease = await lead();
      await beat('a');
      await subject.setRegion('east', true);
      const inEast = () => partitions.beat({ owner: 'e', kind: 'scheduler', region: 'east', ttlMs, figures: {} }, []);
      await inEast();
      expect((await partitions.assignment()).schedulers).toEqual(['a', 'e']);
      await subject.setRegion('east', false);
      expect((await partitions.assignment()).schedulers).toEqual(['a']);
      await assign(lease, 'a', all);
      await beat('a');
      await subject.leases.release(lease);
      await subject.passTime(4 * ttlMs);
      expect(await inEast()).toEqual([]);
      await subject.setRegion('east', true);
      expect(await inEast()).toHaveLength(64);
    });
  });
}
