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
   * Checks the lines that were read so far.
   * @param settledLines number of lines whose users are settled already
   * @throws {HttpProblem} 422 if too many lines are unreadable
   */
  judge(settledLines: number): void;
}

/**
 * Creates the check of a settlement file by the number of its unreadable lines. Users whose outcome is not unknown do
 * not count, because they do not show that the file is parsed wrongly.
 * @param accepted number of rejected lines that the sender accepts
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
