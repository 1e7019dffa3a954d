import { beforeEach, describe, expect, it } from 'vitest';
import type { NoticeKind, Notices } from '../../../shared/ports/notices.ts';

export interface NoticesSubject {
  notices: Notices;
  /** Another process commits a change of this kind. */
  change(kind: NoticeKind): Promise<void>;
  /** Nothing can be heard until `restore`. */
  interrupt(): Promise<void>;
  restore(): Promise<void>;
}

export function describeNotices(name: string, makeSubject: () => Promise<NoticesSubject>): void {
  describe(`notices: ${name}`, () => {
    let subject: NoticesSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** Resolves when it is told again. */
    function listenerTo(kind: NoticeKind) {
      let heard = 0;
      let next = Promise.withResolvers<undefined>();
      subject.notices.on(kind, () => {
        heard++;
        next.resolve(undefined);
        next = Promise.withResolvers<undefined>();
      });
      return { heard: () => heard, next: () => next.promise };
    }

    it('tell all who listen of a change of their kind, and of no other', async () => {
      const [one, other, regions] = [listenerTo('clients'), listenerTo('clients'), listenerTo('regions')];
      const told = Promise.all([one.next(), other.next()]);
      await subject.change('clients');
      await told;
      const last = regions.next();
      await subject.change('regions');
      await last;
      expect([one.heard(), other.heard(), regions.heard()]).toEqual([1, 1, 1]);
    });

    it('say that nothing is heard, and tell everything both when that begins and when it ends', async () => {
      const [clients, registry] = [listenerTo('clients'), listenerTo('registry')];
      const lost = Promise.all([clients.next(), registry.next()]);
      await subject.interrupt();
      await lost;
      expect(subject.notices.isHearing()).toBe(false);
      await subject.change('clients');
      expect(clients.heard()).toBe(1);
      const restored = Promise.all([clients.next(), registry.next()]);
      await subject.restore();
      await restored;
      expect(subject.notices.isHearing()).toBe(true);
    });
  });
}
