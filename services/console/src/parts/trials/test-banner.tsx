import type { RunReport } from '#client/types.gen.ts';
import { Icon } from '../icon/icon.tsx';
import { joinWords } from '../words/figures.ts';
import { formatCount } from '../words/numbers.ts';
import { quotedTitleOf } from '../words/action-titles.ts';

type Tested = Pick<RunReport, 'kind' | 'steps' | 'audience'>;

/** Banner of a test or dry run: describes which of its effects are real. */
export function TestBanner({ run }: { run: Tested }) {
  if (run.kind === 'live') return null;
  return (
    <div className="banner info" role="status">
      <Icon name="info" />
      <div>
        {run.kind === 'dry-run' ? (
          <>
            <b>A dry run.</b> No user was called: “succeeded” counts the users who would have been.
          </>
        ) : (
          <>
            <b>A test.</b> {describeRealEffects(run)}
          </>
        )}{' '}
        <span className="t2">The figures of its campaign do not include it.</span>
      </div>
    </div>
  );
}

export function describeRealEffects({ steps, audience }: Omit<Tested, 'kind'>): string {
  const actionsOf = (mode: 'live' | 'test') => [
    ...new Set(steps.flatMap((line) => ((line.mode ?? 'live') === mode ? [quotedTitleOf(line.action)] : []))),
  ];
  const [live, test] = [joinWords(actionsOf('live')), joinWords(actionsOf('test'))];
  if (live === '') return 'No user received anything.';
  const real = `These ${formatCount(audience.counted)} users really received ${live}.`;
  return test === '' ? real : `${real} Calls of ${test} were marked as a test.`;
}
