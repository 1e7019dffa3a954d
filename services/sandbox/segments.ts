import { compareUserIds } from '../../shared/domain/ids/user-id.ts';

/** A segment as configured: its users are computed from their index, none is stored. */
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

/** The users of a segment in one country, in ascending byte order. */
export interface Members {
  readonly size: number;
  /** @param index from 0 to `size` - 1 */
  at(index: number): string;
  /** How many members are not greater than `user`, which need not be one of them. */
  countUpTo(user: string): number;
  has(user: string): boolean;
}

export interface Segments {
  /** By id. @param country whose users are counted; all without */
  list(country?: string): ListedSegment[];
  /** Names the members: the same configuration has the same snapshot, also after a restart. */
  readonly snapshot: string;
  /** Undefined when there is no such segment; empty members when it has none in that country. */
  members(segment: string, country: string): Members | undefined;
  /** Whether any segment holds the user in that country. */
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

/** `lapsed-riders` is called Lapsed riders. */
function nameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll('-', ' ')}`;
}

/**
 * Divides the segment by weight so that the parts add up exactly: each country ends where its share of the whole ends.
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
      // Asked for every user of every call: most are recognised by their length, without writing the id that they
      // should have.
      if (ids === 'plain' ? user.length !== length : user.length === length) return false;
      const start = user.indexOf(prefix) + prefix.length;
      const index = Number(user.slice(start, start + digits)) - 1;
      return Number.isInteger(index) && index >= 0 && index < size && idAt(index) === user;
    },
  };
}

/**
 * In byte order, each followed by the lower-case country: the last two tell byte order from the order of JavaScript's
 * `<`.
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
 * Ascends with the index: the beginnings divide the members into stretches, the number orders within, the ending only
 * decorates.
 */
function oddId(plain: string, index: number, size: number): string {
  const beginning = oddBeginnings[Math.floor((index * oddBeginnings.length) / size)] ?? '';
  return `${beginning}${plain}${oddEndings[index % oddEndings.length] ?? ''}`;
}

/** The first index for which `isBehind` is true, or `size`. */
function bisect(size: number, isBehind: (index: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
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
