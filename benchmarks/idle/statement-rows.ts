import { shortened } from '../growth/statements.ts';
import { rounded, type Row } from '../results.ts';
import type { Counted } from './counted-window.ts';

const statementsDisplayed = 25;

/** Lists the most frequent statements first, and adds up all further ones in the last row. */
export function statementRows({ statements, seconds }: Counted, perSeconds: number): Row[] {
  const column = `per ${perSeconds} s`;
  const rate = (calls: number) => rounded((calls * perSeconds) / seconds);
  const sorted = statements.toSorted((a, b) => b.calls - a.calls);
  const others = sorted.slice(statementsDisplayed).reduce((sum, { calls }) => sum + calls, 0);
  return [
    ...sorted
      .slice(0, statementsDisplayed)
      .map(({ text, calls }) => ({ statement: `\`${shortened(text)}\``, [column]: rate(calls) })),
    { statement: 'others', [column]: rate(others) },
  ];
}
