import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import { brokenUserIdRule, compareUserIds, escapeUserId } from '../../../shared/domain/ids/user-id.ts';
import type { SourceRow } from '../databases/source.port.ts';
import type { Member } from './snapshot-store.port.ts';

/** Number of problems after which reading stops, because further rows would show nothing new. */
export const namedProblems = 10;

/** Converts the rows of a query into members of a snapshot, one by one and in order. Memory use is constant. */
export interface MemberRules {
  /** Returns the members among the next rows. A row that breaks a rule is added to the problems instead. */
  admit(rows: readonly SourceRow[]): Member[];
  /** First problems, as text for people. A segment with any problem is refused. */
  readonly problems: readonly string[];
  /** Number of members so far, by country. */
  readonly counts: ReadonlyMap<string, number>;
}

/** @param onDuplicates `first` admits the first row of a user and skips further rows; `refuse` makes them a problem */
export function createMemberRules(onDuplicates: 'refuse' | 'first'): MemberRules {
  const problems: string[] = [];
  const counts = new Map<string, number>();
  let previous: Member | undefined;

  function problemOf({ userId, country }: SourceRow): string | null {
    if (userId === null) return 'a row has no user_id';
    const broken = brokenUserIdRule(userId);
    if (broken !== null) return `user_id "${escapeUserId(userId)}" is ${words[broken]}`;
    if (country === null) return `user_id "${userId}" has no country`;
    if (countryPattern.test(country)) return null;
    return `user_id "${userId}" has the country ${JSON.stringify(country)}, which has to be two capital letters`;
  }

  function admitRow(row: SourceRow): Member | null {
    const { userId, country } = row;
    const problem = problemOf(row);
    if (problem !== null || userId === null || country === null) {
      problems.push(problem ?? '');
      return null;
    }
    if (previous?.userId === userId) {
      if (onDuplicates === 'first') return null;
      const places =
        previous.country === country ? `in two rows of ${country}` : `in ${previous.country} and ${country}`;
      problems.push(`user_id "${userId}" is ${places}`);
      return null;
    }
    if (previous && userId < previous.userId && compareUserIds(userId, previous.userId) < 0) {
      problems.push(`the database returned "${userId}" after "${previous.userId}", which is not the order of bytes`);
      return null;
    }
    counts.set(country, (counts.get(country) ?? 0) + 1);
    previous = { userId, country };
    return previous;
  }

  return {
    admit: (rows) => {
      const members: Member[] = [];
      for (const row of rows) {
        if (problems.length === namedProblems) break;
        const member = admitRow(row);
        if (member) members.push(member);
      }
      return members;
    },
    problems,
    counts,
  };
}

const words = {
  empty: 'empty',
  'too-long': 'longer than 256 bytes',
  'control-character': 'not allowed: it has a control character',
  'lone-surrogate': 'not allowed: it has half of a surrogate pair',
};
