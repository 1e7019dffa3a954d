import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { userIds } from '../../../test/support/trigger-fixture.ts';
import { idsOf, textOf, type PageUsers } from '../../../shared/domain/ids/page-users.ts';
import { readPlainPage } from '../../../shared/http-client/plain-page.ts';
import { createPageBuffer, type PageBuffer } from './page-buffer.ts';
import type { Gap } from '../pages/page-source.ts';

function bufferOf(maxUsers = 10_000, clock = createSettableClock()) {
  return createPageBuffer({ batchUsers: 100, maxUsers: () => maxUsers, clock });
}

function pageOf(users: PageUsers, gaps: readonly Gap[] = [], isLast = false) {
  return { users, gaps, isLast };
}

const gap = (at: number, last: string, excluded = 1, heldOut = 0): Gap => ({ at, excluded, heldOut, last });

function cutAndDrop(buffer: PageBuffer, maxBatches = 100, maxUsers = Infinity) {
  const cut = buffer.cut({ maxBatches, maxUsers, nextBatchNo: 1 });
  buffer.drop(cut);
  return cut;
}

describe('pages that were read as bytes', () => {
  it('are cut into the same batches as pages that were parsed', () => {
    const pages = fc.array(fc.nat(350), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pages, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 90, max: 400 }), (sizes, atMost, most) => {
        const all = userIds(sizes.reduce((sum, size) => sum + size, 0));
        const [parsed, plain] = [bufferOf(300), bufferOf(300)];
        for (const [index, size] of sizes.entries()) {
          const users = all.splice(0, size);
          const read = readPlainPage(Buffer.from(JSON.stringify({ users, next: null })));
          if (!read) throw new Error('not plain');
          parsed.add(pageOf(users, [], index === sizes.length - 1));
          plain.add(pageOf(read.users, [], index === sizes.length - 1));
          const [one, other] = [parsed, plain].map((buffer) => {
            const { batches, ...cut } = cutAndDrop(buffer, atMost, most);
            const written = batches.map(({ batchNo, users }) => {
              return { batchNo, users: idsOf(users), text: textOf(users), ends: [users.at(0), users.at(-1)] };
            });
            return { ...cut, batches: written };
          });
          expect(other).toEqual(one);
        }
      }),
    );
  });
});

describe('the users of a page buffer', () => {
  it('wait for another page while they do not fill a batch', () => {
    const buffer = bufferOf();
    buffer.add(pageOf(userIds(99)));
    expect(buffer.gatherMs()).toBeNull();
  });

  it('wait for more users after the first full batch, but only for a limited time', () => {
    const clock = createSettableClock();
    const buffer = bufferOf(10_000, clock);
    buffer.add(pageOf(userIds(100)));
    const wholeMs = buffer.gatherMs() ?? 0;
    expect(wholeMs).toBeGreaterThan(0);
    clock.advance(wholeMs - 1);
    buffer.add(pageOf(userIds(100)));
    expect(buffer.gatherMs()).toBe(1);
    clock.advance(5);
    expect(buffer.gatherMs()).toBe(0);
  });

  it.each([
    ['the last page was fetched', () => bufferOf(), (buffer: PageBuffer) => buffer.add(pageOf(userIds(1), [], true))],
    ['no further page follows', () => bufferOf(), (buffer: PageBuffer) => buffer.seal()],
    [
      'the buffer has no room for another page',
      () => bufferOf(150),
      (buffer: PageBuffer) => buffer.add(pageOf(userIds(50))),
    ],
    ['the buffer has many users', () => bufferOf(), (buffer: PageBuffer) => buffer.add(pageOf(userIds(5000)))],
  ])('are written at once if %s', (_, made, change) => {
    const buffer = made();
    buffer.add(pageOf(userIds(100)));
    expect(buffer.gatherMs()).toBeGreaterThan(0);
    change(buffer);
    expect(buffer.gatherMs()).toBe(0);
  });
});

describe('an upper bound of users', () => {
  it('ends the last batch exactly at the bound, so that no later user is taken', () => {
    const buffer = bufferOf();
    buffer.add(pageOf(userIds(400), [], true));
    const cut = cutAndDrop(buffer, 100, 250);
    expect(cut.batches.map(({ users }) => users.length)).toEqual([100, 100, 50]);
    expect(cut).toMatchObject({ taken: 250, complete: false, reached: 'user-000249' });
    expect(cutAndDrop(buffer, 100, 150)).toMatchObject({ taken: 150, complete: true });
  });

  it('allows no batch after it is reached, and ends after an id that can be used as a cursor', () => {
    const buffer = bufferOf();
    buffer.add(pageOf(userIds(400), [], true));
    expect(cutAndDrop(buffer, 1, 250)).toMatchObject({ taken: 100, complete: false });
    const odd = bufferOf();
    odd.add(pageOf(['a', 'b\ud83d', 'c', 'd'], [], true));
    expect(cutAndDrop(odd, 100, 2)).toMatchObject({ taken: 3, reached: 'c', complete: false });
  });
});

describe('a gap of excluded or held-out users', () => {
  it('is counted with the batch before or around it, not with an earlier one', () => {
    const buffer = bufferOf();
    const users = userIds(250);
    buffer.add(
      pageOf(users, [
        gap(0, 'a', 2),
        gap(50, 'user-000049x'),
        gap(100, 'user-000099x', 0, 3),
        gap(180, 'user-000179x'),
      ]),
    );
    expect(cutAndDrop(buffer, 1)).toMatchObject({ skipped: { excluded: 3, heldOut: 3 }, reached: 'user-000099x' });
    expect(cutAndDrop(buffer, 1)).toMatchObject({ skipped: { excluded: 1, heldOut: 0 }, reached: users[199] });
    expect(cutAndDrop(buffer)).toMatchObject({ skipped: { excluded: 0, heldOut: 0 }, reached: undefined, taken: 0 });
  });

  it('moves the cursor without a batch once it has 5,000 users', () => {
    const buffer = bufferOf();
    buffer.add(pageOf([], [gap(0, 'a', 4000)]));
    expect(buffer.gatherMs()).toBeNull();
    expect(cutAndDrop(buffer)).toMatchObject({ reached: undefined });
    buffer.add(pageOf(['z'], [gap(0, 'b', 999, 1)]));
    expect(buffer.gatherMs()).toBe(0);
    expect(cutAndDrop(buffer)).toMatchObject({ taken: 0, reached: 'b', skipped: { excluded: 4999, heldOut: 1 } });
    expect(buffer.batches()).toBe(1);
  });

  it('is written, with the users between gaps, before the feed is released', () => {
    const buffer = bufferOf();
    buffer.add(pageOf(['b'], [gap(0, 'a', 500), gap(1, 'c', 500)]));
    buffer.seal();
    expect(buffer.hasBatch()).toBe(true);
    expect(cutAndDrop(buffer)).toMatchObject({ taken: 1, reached: 'c', skipped: { excluded: 1000, heldOut: 0 } });
  });

  it('is not used as a cursor if the id at its end is invalid', () => {
    const buffer = bufferOf();
    buffer.add(pageOf(userIds(100), [gap(100, 'v\ud800')]));
    expect(cutAndDrop(buffer)).toMatchObject({ reached: 'user-000099', skipped: { excluded: 0 } });
    buffer.add(pageOf([], [], true));
    expect(cutAndDrop(buffer)).toMatchObject({ complete: true, skipped: { excluded: 1 } });
  });

  it('is counted once, for any pages and cuts, and not before its last user is reached', () => {
    const entry = fc.constantFrom('fed', 'excluded', 'heldOut');
    const pages = fc.array(fc.array(entry, { maxLength: 400 }), { maxLength: 8 });
    fc.assert(
      fc.property(pages, fc.integer({ min: 1, max: 3 }), (shapes, maxBatches) => {
        const buffer = bufferOf();
        let id = 0;
        const found = { fed: 0, excluded: 0, heldOut: 0 };
        let last = '';
        const take = () => {
          const cut = cutAndDrop(buffer, maxBatches);
          found.fed += cut.taken;
          found.excluded += cut.skipped.excluded;
          found.heldOut += cut.skipped.heldOut;
          if (cut.reached !== undefined) {
            expect(cut.reached > last).toBe(true);
            last = cut.reached;
            const handled = found.fed + found.excluded + found.heldOut;
            expect(last).toBe(`id-${String(handled).padStart(6, '0')}`);
          }
          return cut;
        };
        for (const [index, shape] of shapes.entries()) {
          const users: string[] = [];
          const gaps: Gap[] = [];
          for (const kind of shape) {
            const user = `id-${String(++id).padStart(6, '0')}`;
            if (kind === 'fed') users.push(user);
            else {
              const before = gaps.at(-1);
              const open = before?.at === users.length ? before : gap(users.length, user, 0);
              if (open !== before) gaps.push(open);
              open[kind]++;
              open.last = user;
            }
          }
          buffer.add(pageOf(users, gaps, index === shapes.length - 1));
          take();
        }
        if (shapes.length === 0) return;
        for (let cut = take(); !cut.complete; cut = take());
        const all = shapes.flat();
        const countOf = (kind: string) => all.filter((each) => each === kind).length;
        expect(found).toEqual({ fed: countOf('fed'), excluded: countOf('excluded'), heldOut: countOf('heldOut') });
      }),
    );
  });
});
