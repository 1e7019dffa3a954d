import { describe, expect, it } from 'vitest';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { fc } from '../../../test/support/properties.ts';
import type { FetchedPage, PageSource } from '../pages/page-source.ts';
import { countOne, countTwo, type CountedPage, type CountedPages } from './counted-pages.ts';

const never = new AbortController().signal;

/** Returns the users after a cursor, in pages of `perPage` users. */
function sourceOf(users: readonly string[], perPage: number, cursor: string | null = null): PageSource {
  const left = cursor === null ? users : users.filter((user) => compareUserIds(user, cursor) > 0);
  let at = 0;
  return {
    standing: () => 'moving',
    next: () => {
      const page = left.slice(at, at + perPage);
      at += perPage;
      return Promise.resolve(pageOf(page, at >= left.length));
    },
  };
}

function pageOf(users: readonly string[], isLast: boolean, more: Partial<FetchedPage> = {}): FetchedPage {
  return { kind: 'page', users, gaps: [], isLast, fresh: null, ...more };
}

/** Reads `most` pages, or all pages. */
async function readSome(pages: CountedPages, most = Infinity): Promise<CountedPage[]> {
  const read: CountedPage[] = [];
  while (read.length < most && read.at(-1)?.isLast !== true) {
    const page = await pages.next(never);
    if (page.kind !== 'counted') throw new Error(page.kind);
    read.push(page);
  }
  return read;
}

const sum = (pages: readonly CountedPage[], of: 'users' | 'withUsers' | 'both') =>
  pages.reduce((all, page) => all + (page[of] ?? 0), 0);

const audience = fc
  .uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrst'.split(''), '\u{1F6B2}', '\uFFEE'), { maxLength: 22 })
  .map((users) => users.sort(compareUserIds));
const perPage = fc.integer({ min: 1, max: 5 });

describe('a count of two audiences', () => {
  it('includes the users of both, for any page sizes and from any cursor', () =>
    fc.assert(
      fc.asyncProperty(audience, audience, perPage, perPage, fc.nat({ max: 6 }), async (a, b, ofA, ofB, before) => {
        const first = await readSome(countTwo(sourceOf(a, ofA), sourceOf(b, ofB)), before);
        const cursor = first.findLast((page) => page.cursor !== null)?.cursor ?? null;
        const isOver = first.at(-1)?.isLast === true;
        const rest = isOver ? [] : await readSome(countTwo(sourceOf(a, ofB, cursor), sourceOf(b, ofA, cursor)));
        const all = [...first, ...rest];
        const both = a.filter((user) => b.includes(user)).length;
        expect([sum(all, 'users'), sum(all, 'withUsers'), sum(all, 'both')]).toEqual([a.length, b.length, both]);
      }),
    ));

  it('starts again if the snapshot of one audience no longer exists', async () => {
    const audiences = { include: [], exclude: [], holdOut: null };
    const gone: PageSource = {
      standing: () => 'moving',
      next: () => Promise.resolve(pageOf(['a'], true, { fresh: audiences })),
    };
    expect(await countTwo(sourceOf(['a'], 1), gone).next(never)).toEqual({ kind: 'gone' });
    expect(await countOne(gone).next(never)).toEqual({ kind: 'gone' });
  });
});

describe('a count of one audience', () => {
  it('includes excluded and shared users, and its cursor is the last user that was read', async () => {
    const gaps = [
      { at: 1, excluded: 2, heldOut: 0, last: 'c', shared: 1 },
      { at: 2, excluded: 1, heldOut: 0, last: 'f' },
    ];
    const source: PageSource = {
      standing: () => 'moving',
      next: () => Promise.resolve(pageOf(['a', 'd'], false, { gaps })),
    };
    expect(await countOne(source).next(never)).toMatchObject({ users: 2, excluded: 3, shared: 1, cursor: 'f' });
  });
});
