import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeKind, ChangeFeed } from '../../../shared/ports/change-feed.ts';

export interface ChangeFeedSubject {
  changes: ChangeFeed;
  /** Commits a change of this kind in another process. */
  change(kind: ChangeKind): Promise<void>;
  /** Cuts the connection of the feed until `restore`. */
  interrupt(): Promise<void>;
  restore(): Promise<void>;
}

export function describeChangeFeed(name: string, makeSubject: () => Promise<ChangeFeedSubject>): void {
  describe(`change notifications: ${name}`, () => {
    let subject: ChangeFeedSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** Returns a listener whose promise resolves at the next notification. */
    function listenerTo(kind: ChangeKind) {
      let received = 0;
      let next = Promise.withResolvers<undefined>();
      subject.changes.on(kind, () => {
        received++;
        next.resolve(undefined);
        next = Promise.withResolvers<undefined>();
      });
      return { receipt: () => received, next: () => next.promise };
    }

    it('reach every listener of their kind and no other', async () => {
      const [one, other, regions] = [listenerTo('clients'), listenerTo('clients'), listenerTo('regions')];
      const notified = Promise.all([one.next(), other.next()]);
      await subject.change('clients');
      await notified;
      const last = regions.next();
      await subject.change('regions');
      await last;
      expect([one.receipt(), other.receipt(), regions.receipt()]).toEqual([1, 1, 1]);
    });

    it('report a lost connection, and notify all listeners when it is lost and when it is restored', async () => {
      const [clients, registry] = [listenerTo('clients'), listenerTo('registry')];
      const lost = Promise.all([clients.next(), registry.next()]);
      await subject.interrupt();
      await lost;
      expect(subject.changes.isConnected()).toBe(false);
      await subject.change('clients');
      expect(clients.receipt()).toBe(1);
      const restored = Promise.all([clients.next(), registry.next()]);
      await subject.restore();
      await restored;
      expect(subject.changes.isConnected()).toBe(true);
    });
  });
}
