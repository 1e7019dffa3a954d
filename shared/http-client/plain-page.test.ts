import { describe, expect, it } from 'vitest';
import { fc } from '../../test/support/properties.ts';
import { userPage } from '../contracts/endpoints/segmentation.ts';
import { compareUserIds, isValidUserId } from '../domain/ids/user-id.ts';
import { idsOf, PlainUsers } from '../domain/ids/page-users.ts';
import { readPlainPage } from './plain-page.ts';

const runs = { numRuns: 5000 };

/** Returns the page as the parser reads it; null if the parser refuses it. */
function parse(body: Buffer) {
  try {
    return userPage.safeParse(JSON.parse(body.toString('utf8'))).data ?? null;
  } catch {
    return null;
  }
}

function read(body: Buffer) {
  const page = readPlainPage(body);
  return page && { ...page, users: [...idsOf(page.users)] };
}

const plainId = fc.stringMatching(/^[ !#-[\]-~]{1,20}$/);
const anyId = fc.oneof(
  { weight: 6, arbitrary: plainId },
  fc.constantFrom(
    '',
    'é',
    '🛵',
    'a"b',
    'back\\slash',
    '\u0000',
    '\u007f',
    '\u0085',
    '\ud800',
    '\uffff',
    ',',
    '","',
    ']',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
);
const sorted = (ids: readonly string[]) => [...new Set(ids)].toSorted(compareUserIds);
/** Lists of ids, most of them ordered, some with duplicates. */
const ids = fc.oneof(
  { weight: 6, arbitrary: fc.array(plainId, { maxLength: 30 }).map(sorted) },
  fc.array(anyId, { maxLength: 12 }).map(sorted),
  fc.array(anyId, { maxLength: 12 }),
);
const nextOf = (users: readonly string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(null, users.at(-1) ?? null) }, anyId, fc.constantFrom(7, true));
const maxLimit = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  1,
  300,
  5000,
  0,
  -1,
  1.5,
  '9',
  999_999_999,
  1e12,
  null,
);
const more = fc.constantFrom({}, {}, {}, { attributes: { x: 1 } }, { users: 'x' });

/** Page with the fields in the usual order, or one in another form. */
const page = ids
  .chain((users) => fc.record({ users: fc.constant(users), next: nextOf(users), maxLimit, more }))
  .chain(({ users, next, maxLimit, more }) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>({ users, next, maxLimit, ...more }) },
      fc.constantFrom<unknown>(
        { next, users },
        { users: [...users, 7], next },
        { users: 'x', next },
        { users: [users], next: null },
        [users],
      ),
    ),
  );

/** Pages as services write them, and damaged ones. */
const body = fc
  .tuple(
    page,
    fc.constantFrom(undefined, undefined, undefined, 1),
    fc.constantFrom('', '', '\n', ' \r\n', 'x', '}'),
    fc.nat(400),
  )
  .chain(([value, indent, end, at]) => {
    const text = JSON.stringify(value, null, indent) + end;
    const bytes = Buffer.from(text);
    const damaged = Buffer.from(bytes);
    if (bytes.length > 0) damaged[at % bytes.length] = (at * 31) % 256;
    return fc.oneof(
      { weight: 8, arbitrary: fc.constant(bytes) },
      fc.constant(bytes.subarray(0, at % (bytes.length + 1))),
      fc.constant(damaged),
      fc.constant(Buffer.from(text.replace('},', '},"users":["z"],'))),
      fc.constant(Buffer.from(text.replaceAll('","', '", "'))),
    );
  });

describe('the reader of plain pages', () => {
  it('returns the same page as the parser, or leaves the page to the parser', () => {
    let plain = 0;
    fc.assert(
      fc.property(body, (bytes) => {
        const quick = read(bytes);
        if (quick === null) return;
        plain++;
        expect(quick).toEqual(parse(bytes));
        expect(quick.users.every(isValidUserId)).toBe(true);
        expect(quick.users).toEqual(sorted(quick.users));
      }),
      runs,
    );
    expect(plain).toBeGreaterThan(runs.numRuns / 20);
  });

  it('reads every compact page of ascending plain ids, of any size', () => {
    const plainIds = fc.array(plainId, { maxLength: 300 }).map(sorted);
    const written = fc.tuple(plainIds, fc.boolean(), fc.constantFrom(undefined, 5000), fc.constantFrom('', '\n'));
    fc.assert(
      fc.property(written, ([users, isLast, limit, end]) => {
        const sent = { users, next: isLast ? null : (users.at(-1) ?? null), ...(limit && { maxLimit: limit }) };
        expect(read(Buffer.from(JSON.stringify(sent) + end))).toEqual(sent);
      }),
      { numRuns: 1000 },
    );
    const many = Array.from({ length: 100_000 }, (_, index) => `user-${String(index).padStart(9, '0')}`);
    expect(read(Buffer.from(JSON.stringify({ users: many, next: many.at(-1) })))?.users).toEqual(many);
  });

  it.each([
    ['an id with an escape', '{"users":["a\\u0062"],"next":null}'],
    ['an id beyond ASCII', '{"users":["é"],"next":null}'],
    ['an empty id', '{"users":[""],"next":null}'],
    ['an id of 257 bytes', `{"users":["${'x'.repeat(257)}"],"next":null}`],
    ['a repeated id', '{"users":["a","a"],"next":"a"}'],
    ['ids in the wrong order', '{"users":["b","a"],"next":"a"}'],
    ['an id behind a longer one with the same beginning', '{"users":["ab","a"],"next":"a"}'],
    ['an id that is no string', '{"users":["a",7],"next":null}'],
    ['another field', '{"users":["a"],"attributes":{},"next":null}'],
    ['a field twice', '{"users":["a"],"next":null,"users":["b"]}'],
    ['fields in another order', '{"next":null,"users":["a"]}'],
    ['spaces', '{"users": ["a", "b"], "next": null}'],
    ['a comma too many', '{"users":["a",],"next":null}'],
    ['a truncated body', '{"users":["a","b'],
    ['text behind the page', '{"users":["a"],"next":null}x'],
    ['a space that JSON does not know', '{"users":["a"],"next":null}\u00a0'],
    ['no body', ''],
  ])('leaves a page with %s to the parser', (_, text) => {
    expect(readPlainPage(Buffer.from(text, 'latin1'))).toBeNull();
    expect(readPlainPage(Buffer.from(text))).toBeNull();
  });

  it('accepts ids of 1 and 256 bytes, and ids that look like JSON', () => {
    const users = sorted(['a', 'x'.repeat(256), ',', ']', '[', '{}', ':', '~', ' ']);
    expect(read(Buffer.from(JSON.stringify({ users, next: null })))).toEqual({ users, next: null });
  });
});

describe('users of plain pages', () => {
  /** Returns the users of pages that were read one after the other. */
  function joined(pages: readonly (readonly string[])[]): PlainUsers {
    return pages
      .map((users) => readPlainPage(Buffer.from(JSON.stringify({ users, next: null })))?.users)
      .map((users) => (users instanceof PlainUsers ? users : PlainUsers.of('', [])))
      .reduce((sum, users) => sum.concat(users), PlainUsers.of('', []));
  }

  it('are cut and read like an array of their ids', () => {
    const pages = fc.array(fc.array(plainId, { maxLength: 12 }).map(sorted), { maxLength: 4 });
    fc.assert(
      fc.property(pages, fc.nat(50), fc.nat(50), fc.nat(20), (given, from, to, further) => {
        const all = given.flat();
        const [users, array] = [joined(given).slice(from, to), all.slice(from, to)];
        expect(users.length).toBe(array.length);
        expect(users.ids()).toEqual(array);
        expect(`[${users.text()}]`).toBe(JSON.stringify(array));
        for (const index of [-2, -1, 0, 1, further]) expect(users.at(index)).toBe(array.at(index));
        expect(users.slice(further).ids()).toEqual(array.slice(further));
      }),
      { numRuns: 1000 },
    );
  });
});
