import { requireFewRejects } from './reject-share.ts';
import { ruleWords } from './user-cells.ts';
import type { ReadLine } from './settlement-lines.ts';

const namedLines = 10;

export const settlementRuleWords: Readonly<Record<string, string>> = {
  ...ruleWords,
  'too-long': 'the user id has more than 256 bytes, or the line more than 64 KiB',
  malformed: 'the line cannot be read as userId, step, outcome, code, country',
  'invalid-step': 'the step is not a number from 1 to 20',
  'invalid-outcome': 'the outcome is neither succeeded nor failed',
};

export interface SettlementJudge {
  take(read: ReadLine): void;
  /**
   * @param settledLines number of lines whose users are settled already
   * @throws {HttpProblem} 422 if too many lines so far are unreadable
   */
  judge(settledLines: number): void;
}

/**
 * Judges a settlement file by its unreadable lines. Users that are not unknown do not count: they depend on the run,
 * not on the parsing.
 * @param accepted rejected lines that the caller accepts
 */
export function createSettlementJudge(accepted: number | undefined): SettlementJudge {
  const rejects: { line: number; value: string; rule: string }[] = [];
  let rows = 0;
  let rejected = 0;
  return {
    take: ({ line, entry }) => {
      rows++;
      if (!('rule' in entry)) return;
      rejected++;
      if (rejects.length < namedLines) rejects.push({ line, value: entry.userId ?? '', rule: entry.rule });
    },
    judge: (settledLines) => {
      const kept =
        settledLines === 0 ? 'No user was settled' : `The first ${settledLines} lines were settled and stay settled`;
      const row = 'user with a step and an outcome';
      requireFewRejects({ rows, rejected, rejects }, accepted, { row, rules: settlementRuleWords, kept });
    },
  };
}
