import type { CancelPreview, RunProgress } from '#client/types.gen.ts';
import type { Effect } from '../../../parts/overlays/effects.tsx';
import { formatCount, formatEstimate } from '../../../parts/words/numbers.ts';
import { formatDuration } from '../../../parts/times/times.ts';
import { waitingUsers } from '../run-figures.ts';

interface PauseMoment {
  /** What the engine counts; undefined while nobody knows, which keeps nobody from pausing. */
  preview?: CancelPreview | undefined;
  nowMs: number;
  /** How an instant is shown. */
  timeOf: (instant: string) => string;
}

/** What a pause does to whom. */
export function pauseEffects(progress: RunProgress, { preview, nowMs, timeOf }: PauseMoment): Effect[] {
  const { inFlight, waitingForRetry, deadlineAt, steps } = progress;
  const { untouched, halfWay } = waitingUsers(progress);
  const effects: Effect[] = [
    {
      value: formatCount(inFlight),
      unit: inFlight === 1 ? 'batch in flight' : 'batches in flight',
      children: (
        <>
          <strong>{inFlight === 1 ? 'Finishes and is recorded.' : 'Finish and are recorded.'}</strong> No new call is
          sent later than 2 s from now.{' '}
          {preview
            ? `The last answer comes within ${formatDuration(preview.timeToStopMs)}, as the endpoints’ time-out says.`
            : 'The last answer comes within the endpoints’ time-out after that.'}
        </>
      ),
    },
    {
      value: formatCount(waitingForRetry),
      unit: waitingForRetry === 1 ? 'batch to retry' : 'batches to retry',
      children: (
        <>
          <strong>{waitingForRetry === 1 ? 'Keeps its place.' : 'Keep their place.'}</strong> What waits is tried again
          after you resume, with the same key.
        </>
      ),
    },
    {
      value: formatCount(untouched + halfWay),
      unit: untouched + halfWay === 1 ? 'user pending' : 'users pending',
      children: (
        <>
          <strong>Wait.</strong> {formatCount(untouched)} have had no step
          {steps.length > 1 && `, ${formatCount(halfWay)} have ${halfWayWords(steps)}`}.
          {(preview?.notFedUsers ?? 0) > 0 &&
            ` About ${formatEstimate(preview?.notFedUsers ?? 0)} more are not fed yet.`}
        </>
      ),
    },
  ];
  if (deadlineAt !== null) effects.push(deadlineEffect(deadlineAt, nowMs, timeOf));
  return effects;
}

function deadlineEffect(deadlineAt: string, nowMs: number, timeOf: (instant: string) => string): Effect {
  const leftMs = Date.parse(deadlineAt) - nowMs;
  return {
    value: timeOf(deadlineAt),
    unit: 'deadline',
    children: (
      <>
        <strong>Keeps running,</strong> {leftMs > 0 ? `${formatDuration(leftMs)} left` : 'and has passed'}. Who has not
        been called by then is <strong>expired</strong>.
      </>
    ),
  };
}

/** What going on does to whom. */
export function resumeEffects(progress: RunProgress, { nowMs, timeOf }: PauseMoment): Effect[] {
  const { untouched, halfWay } = waitingUsers(progress);
  const effects: Effect[] = [
    {
      value: formatCount(untouched + halfWay),
      unit: untouched + halfWay === 1 ? 'user pending' : 'users pending',
      children: (
        <>
          <strong>Go on where they stopped.</strong> {formatCount(untouched)} begin with step 1
          {progress.steps.length > 1 && `, ${formatCount(halfWay)} with the step behind the one they have`}. Nobody gets
          a step again.
        </>
      ),
    },
  ];
  if (progress.deadlineAt !== null) effects.push(deadlineEffect(progress.deadlineAt, nowMs, timeOf));
  return effects;
}

function halfWayWords(steps: RunProgress['steps']): string {
  const [first, second] = steps;
  return steps.length === 2 && first && second
    ? `${first.action} and not yet ${second.action}`
    : 'some steps and not yet the rest';
}

/** What a cancellation does to whom. */
export function cancelEffects(preview: CancelPreview, { steps }: RunProgress): Effect[] {
  const { halfWayUsers } = preview;
  const halfWay: Effect = {
    value: formatCount(halfWayUsers),
    unit: halfWayUsers === 1 ? 'user half-way' : 'users half-way',
    isHot: halfWayUsers > 0,
    children: <HalfWay steps={steps} />,
  };
  return [
    throughEffect(preview, steps.at(-1)?.succeeded ?? 0),
    ...(steps.length > 1 ? [halfWay] : []),
    untouchedEffect(preview, steps.length),
    inFlightEffect(preview),
  ];
}

function throughEffect({ endedUsers }: CancelPreview, succeeded: number): Effect {
  const through = Math.min(endedUsers, succeeded);
  const others = endedUsers - through;
  return {
    value: formatCount(through),
    unit: through === 1 ? 'user is through' : 'users are through',
    children: (
      <>
        <strong>Keep what they got.</strong> A cancel takes nothing back.
        {others > 0 && ` ${formatCount(others)} more have failed or are held out; nothing changes for them.`}
      </>
    ),
  };
}

function untouchedEffect({ notStartedUsers, notFedUsers }: CancelPreview, steps: number): Effect {
  return {
    value: formatCount(notStartedUsers),
    unit: notStartedUsers === 1 ? 'user untouched' : 'users untouched',
    children: (
      <>
        <strong>Get nothing</strong> and end as cancelled
        {steps === 1 ? '' : steps === 2 ? ' in both steps' : ' in every step'}.
        {notFedUsers === null && ' Who is not fed yet never will be.'}
        {notFedUsers !== null &&
          notFedUsers > 0 &&
          ` About ${formatEstimate(notFedUsers)} more are not fed yet, and never will be.`}
      </>
    ),
  };
}

function inFlightEffect({ inFlight: { batches, users } }: CancelPreview): Effect {
  return {
    value: formatCount(batches),
    unit: batches === 1 ? 'batch in flight' : 'batches in flight',
    children: (
      <>
        <strong>{batches === 1 ? 'Finishes and is recorded:' : 'Finish and are recorded:'}</strong> up to{' '}
        {formatCount(users)} of the users above may still succeed or fail. No new call is sent later than 2 s from now.
        A call that is never answered ends as <strong>unknown</strong> and is listed.
      </>
    ),
  };
}

function HalfWay({ steps }: Pick<RunProgress, 'steps'>) {
  const [first, second] = steps;
  if (steps.length === 2 && first && second) {
    return (
      <>
        <strong>
          Have {first.action} and will get no {second.action}.
        </strong>{' '}
        They end as cancelled in step 2.
      </>
    );
  }
  return (
    <>
      <strong>Have some steps and will not get the rest.</strong> They end as cancelled in the step they wait for.
    </>
  );
}
