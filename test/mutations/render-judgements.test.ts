import { describe, expect, it } from 'vitest';
import { byLint, type Judgement } from './judge-mutant.ts';
import { countOf, reachesGoal, renderJudgements } from './render-judgements.ts';

function judged(file: string, verdict: Judgement['verdict'], by = ''): Judgement {
  const mutant = { file, line: 3, kind: 'branch', start: 0, end: 1, before: '{\n  return;\n}', after: '{}' } as const;
  return { mutant, verdict, by };
}

describe('the result page of a draw', () => {
  it('has a line for each area of the product, the unnoticed mutants and the total', () => {
    const judgements = [
      judged('services/worker/a.ts', 'noticed'),
      judged('shared/domain/a/b.ts', 'UNNOTICED'),
      judged('services/worker/c.ts', 'noticed', byLint),
      judged('services/api/c.ts', 'unreached'),
    ];
    expect(renderJudgements(judgements)).toBe(`| room | drawn | noticed | by lint | unreached | share |
| --- | ---: | ---: | ---: | ---: | ---: |
| services/api | 1 | 0 | 0 | 1 |  |
| services/worker | 2 | 2 | 1 | 0 | 1.00 |
| shared/domain | 1 | 0 | 0 | 0 | 0.00 |
| all | 4 | 2 | 1 | 1 | 0.67 |

UNNOTICED shared/domain/a/b.ts:3 branch: { return; } -> {}
unreached services/api/c.ts:3 branch: { return; } -> {}
2 of 3 noticed`);
  });

  it('reaches the goal with 85 of 100, but not with 84 or with an empty draw', () => {
    const share = (noticed: number, drawn: number) =>
      countOf(
        'all',
        Array.from({ length: drawn }, (_, index) => judged('a', index < noticed ? 'noticed' : 'UNNOTICED')),
      );
    expect(reachesGoal(share(85, 100))).toBe(true);
    expect(reachesGoal(share(84, 100))).toBe(false);
    expect(reachesGoal(share(0, 0))).toBe(false);
  });
});
