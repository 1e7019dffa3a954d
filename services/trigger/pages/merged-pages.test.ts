import { describe, expect, it } from 'vitest';
import type { FeedAudience, FeedSource } from '../../../shared/contracts/runs/feed-audience.ts';
import { idsOf } from '../../../shared/domain/ids/page-users.ts';
import { createMergedPages } from './merged-pages.ts';

const { signal } = new AbortController();

/** Returns the users of named sources that each return these pages. */
function usersOf(
  include: Record<string, string[][]>,
  exclude: Record<string, string[][]> = {},
  counts: { countsParts?: boolean } = {},
) {
  const pages = new Map(Object.entries({ ...include, ...exclude }));
  const sourcesOf = (sources: object) =>
    Object.keys(sources).map((segment) => ({ segment, snapshot: 'snapshot', estimate: null }));
  const audience: FeedAudience = { include: sourcesOf(include), exclude: sourcesOf(exclude), holdOut: null };
  const pagesOf = (source: FeedSource) => {
    const left = [...('segment' in source ? (pages.get(source.segment) ?? []) : [])];
    const next = () =>
      Promise.resolve({ kind: 'page', users: left.shift() ?? [], isLast: left.length === 0, fresh: null } as const);
    return [{ next, standing: () => 'moving' as const }];
  };
  return createMergedPages(audience, pagesOf, counts);
}

async function allUsers(source: ReturnType<typeof usersOf>): Promise<string[]> {
  const users: string[] = [];
  for (let pages = 0; pages < 20; pages++) {
    const page = await source.next(signal);
    if (page.kind === 'stalled') throw new Error(page.cause);
    users.push(...idsOf(page.users));
    if (page.isLast) return users;
  }
  throw new Error('there is no end');
}

describe('an audience of several sources', () => {
  it('contains no excluded user, even if pages of the exclusion are late or empty', async () => {
    const merged = usersOf({ all: [['a', 'b', 'c', 'd']] }, { opted: [[], ['b'], [], ['d']] });
    expect(await allUsers(merged)).toEqual(['a', 'c']);
  });

  it('counts the users of each source, the repeated users and the excluded users', async () => {
    const include = { one: [['a', 'b']], other: [['b', 'c', 'd']] };
    const exclude = { opted: [['c', 'x']] };
    const page = await usersOf(include, exclude, { countsParts: true }).next(signal);
    expect(page).toMatchObject({
      users: ['a', 'b', 'd'],
      isLast: true,
      parts: { include: [2, 3], repeated: 1, exclude: [1], elsewhere: 0 },
    });
    expect(await usersOf(include, exclude).next(signal)).not.toHaveProperty('parts');
  });

  it('contains each user once and in order, even if pages of a source are late or empty', async () => {
    const merged = usersOf({ one: [['b', 'd']], other: [[], ['a', 'b'], ['c']] });
    expect(await allUsers(merged)).toEqual(['a', 'b', 'c', 'd']);
  });
});
