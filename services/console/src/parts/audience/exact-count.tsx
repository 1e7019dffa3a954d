import type { ReactNode } from 'react';
import type { ExactCount } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../icon/icon.tsx';
import { Time } from '../times/time.tsx';
import { capitalize } from '../words/figures.ts';
import { countOf, formatCount } from '../words/numbers.ts';
import { formatCountProgress, formatReadingTime } from './count-texts.ts';
import { largeNumber } from './user-count-line.tsx';
import { isCountRunning, type CountControl, type CountQuestion } from './use-exact-count.ts';

interface ExactCountProps {
  count: CountControl;
  question: CountQuestion;
  refusal: string | undefined;
  missing?: string | undefined;
  estimate?: ReactNode;
  isLarge?: boolean;
  /** True if a sum below this line lists the parts, which are then omitted here. */
  isSummed?: boolean;
}

/** One exact number with its age, or the control that requests it, its progress or its failure. */
export function ExactCountLine({ count, question, refusal, missing, estimate, ...manner }: ExactCountProps) {
  const { counted, isUnderWay, error } = count;
  const isOld = counted !== undefined && !count.isOf(question);
  return (
    <div className="grid gap-1 min-w-0">
      <div className="row flex-wrap gap-y-1">
        <div className="flex-1 min-w-0" role="status">
          {counted ? <Counted counted={counted} isOld={isOld} {...manner} /> : estimate}
        </div>
        {counted && isCountRunning(counted) ? (
          <Button small refusal={refusal} onClick={() => count.cancel(counted)}>
            Cancel
          </Button>
        ) : (
          <Button
            small
            refusal={refusal ?? missing}
            disabled={isUnderWay}
            onClick={() => count.start({ question, recount: counted?.state === 'done' && !isOld })}
          >
            {counted?.state === 'done' && !isOld ? 'Count again' : 'Count exactly'}
          </Button>
        )}
      </div>
      {error !== null && <CountRefused error={error} />}
    </div>
  );
}

interface CountedProps extends Pick<ExactCountProps, 'isLarge' | 'isSummed'> {
  counted: ExactCount;
  isOld: boolean;
}

function Counted({ counted, isOld, isLarge = false, isSummed = false }: CountedProps) {
  const { state, cause, users } = counted;
  if (state === 'failed') return <p className="c-bad">The count failed: {cause ?? 'unknown cause'}.</p>;
  if (state === 'cancelled') return <p className="t2">The count was cancelled at {formatCount(users)} users.</p>;
  return (
    <div className={isOld ? 't3' : undefined}>
      <p className={`row items-baseline gap-x-2.5 gap-y-0 ${isLarge ? '' : 'flex-wrap'}`}>
        <span className={isLarge ? largeNumber : 'text-lg font-semibold tabular-nums'}>{formatCount(users)}</span>
        <span className="t2">
          {users === 1 ? 'user' : 'users'}
          {isCountRunning(counted) ? ' so far' : <CountedWhen {...{ counted, isSummed }} />}
          {isOld && ', before your last change'}
        </span>
      </p>
      <p className="t3 sm">{isCountRunning(counted) ? progressOf(counted) : <Parts {...{ counted, isSummed }} />}</p>
    </div>
  );
}

function CountedWhen({ counted, isSummed }: { counted: ExactCount; isSummed: boolean }) {
  const { startedAt, requestedAt } = counted;
  const took = isSummed ? null : formatReadingTime(counted);
  return (
    <>
      , counted exactly as of <Time instant={startedAt ?? requestedAt} withSeconds={!isSummed} />
      {took !== null && `, in ${took}`}
    </>
  );
}

/** Users of the sources that are not in the audience, and the time at which the segments were read. */
function Parts({ counted, isSummed }: { counted: ExactCount; isSummed: boolean }) {
  const { excluded, shared, audience } = counted;
  const took = formatReadingTime(counted);
  const parts = [
    ...(counted.countries.length > 1 ? [formatCountProgress(counted)] : []),
    ...(shared > 0 && !isSummed ? [`${formatCount(shared)} in several sources, served once`] : []),
    ...(excluded > 0 && !isSummed ? [`${formatCount(excluded)} excluded`] : []),
    ...(isSummed && took !== null ? [`sources read in ${took}`] : []),
    ...(hasSegment(audience) && !isSummed
      ? ['segments as of their snapshots; without newer snapshots, a new count has the same result']
      : []),
  ];
  return capitalize(parts.join(' · '));
}

function hasSegment({ include, exclude = [] }: ExactCount['audience']): boolean {
  return [...include, ...exclude].some((entry) => 'segment' in entry);
}

function progressOf(counted: ExactCount): string {
  const { state, cause, countries } = counted;
  if (cause !== null) return `Waits: ${cause}`;
  if (state === 'waiting') return 'Waiting: each trigger runs two counts at once';
  const done = counted.counted.filter((line) => line.done).length;
  return `${done} of ${countOf(countries.length, 'country', 'countries')} read · ${formatCountProgress(counted)}`;
}

export function CountRefused({ error }: { error: unknown }) {
  const { detail, errors } = problemOf(error);
  return (
    <p className="c-bad sm row gap-1 items-start" role="alert">
      <Icon name="failed" size={14} />
      <span>{capitalize(errors.length === 0 ? detail : errors.map((each) => each.detail).join('; '))}.</span>
    </p>
  );
}
