import type { RunReport } from '#client/types.gen.ts';
import { Icon } from '../icon/icon.tsx';
import { listed } from '../words/figures.ts';
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
            <b>A dry run.</b> Nobody was called: succeeded is who would have been.
          </>
        ) : (
          <>
            <b>A test.</b> {realInWords(run)}
          </>
        )}{' '}
        <span className="t2">It is in no figures of its campaign.</span>
      </div>
    </div>
  );
}

export function realInWords({ steps, audience }: Omit<Tested, 'kind'>): string {
  const actionsOf = (mode: 'live' | 'test') => [
    ...new Set(steps.flatMap((line) => ((line.mode ?? 'live') === mode ? [quotedTitleOf(line.action)] : []))),
  ];
  const [live, test] = [listed(actionsOf('live')), listed(actionsOf('test'))];
  if (live === '') return 'Nobody really got anything.';
  const real = `These ${formatCount(audience.counted)} really got ${live}.`;
  return test === '' ? real : `${real} Calls of ${test} were marked as a test.`;
}
