import { compareUserIds } from '../../shared/domain/ids/user-id.ts';

/** Configuration of a segment. Its users are computed from their index, not stored. */
export interface SegmentSpec {
  id: string;
  /** Users in all countries together. */
  size: number;
  /** `odd`: ids full of spaces, quotes, percent signs, backslashes, commas and emoji. */
  ids: 'plain' | 'odd';
}

export interface CountryWeight {
  country: string;
  weight: number;
}

/** Users of a segment in one country, in ascending byte order. */
export interface Members {
  readonly size: number;
  /** @param index from 0 to `size` - 1 */
  at(index: number): string;
  /** Returns the number of members up to and including `user`, which need not be a member. */
  countUpTo(user: string): number;
  has(user: string): boolean;
}

export interface Segments {
  /** Lists segments by id. @param country country for which sizes are estimated; absent for all countries */
  list(country?: string): ListedSegment[];
  /** Id of the members: the same configuration has the same snapshot, even after a restart. */
  readonly snapshot: string;
  /**
   * Returns the members of a segment in a country. Undefined if the segment is unknown; empty if it has no members in
   * the country.
   */
  members(segment: string, country: string): Members | undefined;
  isKnown(country: string, user: string): boolean;
}

export interface ListedSegment {
  id: string;
  name: string;
  description: string;
  countries: string[];
  estimate: number;
}

export function createSegments(specs: readonly SegmentSpec[], weights: readonly CountryWeight[]): Segments {
  const countries = weights.map(({ country }) => country);
  const bySegment = new Map(specs.map((spec) => [spec.id, membersByCountry(spec, weights)]));
  const byCountry = new Map(
    countries.map((country) => [country, [...bySegment.values()].flatMap((each) => each.get(country) ?? [])]),
  );
  const nobody: Members = { size: 0, at: (index) => outOfRange(index), countUpTo: () => 0, has: () => false };
  return {
    snapshot: snapshotName(specs, weights),
    list: (country) =>
      [...bySegment]
        .map(([id, members]) => {
          const held = [...members].filter(([, { size }]) => size > 0);
          const counted = country === undefined ? held : held.filter(([of]) => of === country);
          return {
            id,
            name: nameOf(id),
            description: 'Made up by the sandbox',
            countries: held.map(([of]) => of),
            estimate: counted.reduce((sum, [, { size }]) => sum + size, 0),
          };
        })
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    members: (segment, country) => {
      const members = bySegment.get(segment);
      return members === undefined ? undefined : (members.get(country) ?? nobody);
    },
    isKnown: (country, user) => byCountry.get(country)?.some((members) => members.has(user)) ?? false,
  };
}

/** Returns the display name: `lapsed-riders` becomes "Lapsed riders". */
function nameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll('-', ' ')}`;
}

/**
 * Divides the segment among the countries by weight. The boundaries are computed from cumulated weights, so that the
 * parts add up exactly.
 */
function membersByCountry(spec: SegmentSpec, weights: readonly CountryWeight[]): Map<string, Members> {
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  const members = new Map<string, Members>();
  let weightSoFar = 0;
  let usersSoFar = 0;
  for (const { country, weight } of weights) {
    weightSoFar += weight;
    const end = Math.floor((spec.size * weightSoFar) / total);
    members.set(country, membersOf(spec.ids, country, end - usersSoFar));
    usersSoFar = end;
  }
  return members;
}

const digits = 9;

function membersOf(ids: SegmentSpec['ids'], country: string, size: number): Members {
  const prefix = `${country.toLowerCase()}-`;
  const plainAt = (index: number) => `${prefix}${String(index + 1).padStart(digits, '0')}`;
  const idAt = ids === 'plain' ? plainAt : (index: number) => oddId(plainAt(index), index, size);
  const length = prefix.length + digits;
  return {
    size,
    at: (index) => (index >= 0 && index < size ? idAt(index) : outOfRange(index)),
    countUpTo: (user) => bisect(size, (index) => compareUserIds(idAt(index), user) > 0),
    has: (user) => {
      // Called for every user of every call: the length rejects most ids without formatting the expected id.
      if (ids === 'plain' ? user.length !== length : user.length === length) return false;
      const start = user.indexOf(prefix) + prefix.length;
      const index = Number(user.slice(start, start + digits)) - 1;
      return Number.isInteger(index) && index >= 0 && index < size && idAt(index) === user;
    },
  };
}

/**
 * Beginnings of odd ids in ascending byte order. After the beginning, an id continues with the lower-case country. For
 * the last two beginnings, byte order differs from that of JavaScript's `<`.
 */
const oddBeginnings = [' ', '","', '"', '%2C', "'", ',', '\\', '\\{u0041}', '', 'é', 'ｗｉｄｅ ', '🎟️ '];

const oddEndings = [
  ' two  words ',
  '"quoted"',
  ' 100%',
  '%00%2F',
  ' 🎉🏽',
  '\\back\\slash\\',
  ',a,b,',
  '","',
  "'; drop table users; --",
  '?country=XX&after=#x',
  '+plus/../slash',
  '{"id":1}]',
  'é',
  'e\u0301',
];

/**
 * Returns an odd id. Ids ascend with the index: first by their beginning, then by the number. The ending does not
 * affect the order.
 */
function oddId(plain: string, index: number, size: number): string {
  const beginning = oddBeginnings[Math.floor((index * oddBeginnings.length) / size)] ?? '';
  return `${beginning}${plain}${oddEndings[index % oddEndings.length] ?? ''}`;
}

/** Returns the first index for which `isBehind` returns true; `size` if there is none. */
function bisect(size: number, isAfter: (index: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function snapshotName(specs: readonly SegmentSpec[], weights: readonly CountryWeight[]): string {
  const text = JSON.stringify([specs, weights]);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return `snapshot-${hash.toString(16).padStart(8, '0')}`;
}

function outOfRange(index: number): never {
  throw new RangeError(`there is no member ${index}`);
}
