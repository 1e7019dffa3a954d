import type { CancelPreview, RunProgress } from '#client/types.gen.ts';
import type { Effect } from '../../../parts/overlays/effects.tsx';
import { formatCount, formatEstimate } from '../../../parts/words/numbers.ts';
import { formatDuration, formatSetDuration, partsOfTime } from '../../../parts/times/times.ts';
import { waitingUsers } from '../run-figures.ts';
import { quotedTitleOf } from '../../../parts/words/action-titles.ts';

interface DecisionMoment {
  /** Counts of the engine; undefined until they are loaded. A pause does not wait for them. */
  preview?: CancelPreview | undefined;
  nowMs: number;
  timeOf: (instant: string) => string;
}

export function pauseEffects(progress: RunProgress, { preview, nowMs, timeOf }: DecisionMoment): Effect[] {
  const { steps } = progress;
  // All numbers are of the same preview, so that they add up to the table below.
  const inFlight = preview?.inFlight.batches ?? progress.inFlight;
  const waitingForRetry = preview?.waiting ?? progress.waitingForRetry;
  const lastAnswer = preview
    ? `The last answer comes within ${formatSetDuration(preview.timeToStopMs)}, as the endpoints’ time-out says.`
    : 'The last answer comes within the endpoints’ time-out after that.';
  const { untouched, halfWay, notFed } = pendingIn(progress, preview);
  return [
    {
      value: formatCount(inFlight),
      unit: inFlight === 1 ? 'batch in flight' : 'batches in flight',
      lead: inFlight === 1 ? 'Finishes and is recorded.' : 'Finish and are recorded.',
      children: `No new call is sent later than 2 s from now. ${lastAnswer}`,
    },
    {
      value: formatCount(waitingForRetry),
      unit: waitingForRetry === 1 ? 'batch to retry' : 'batches to retry',
      lead: waitingForRetry === 1 ? 'Keeps its place.' : 'Keep their place.',
      children: 'What waits is tried again after you resume, with the same key.',
    },
    {
      ...pendingOf(untouched + halfWay),
      lead: 'Wait.',
      children: [
        `${formatCount(untouched)} have had no step`,
        steps.length > 1 ? `, ${formatCount(halfWay)} have ${halfWayWords(steps)}.` : '.',
        notFedWords(notFed, ''),
      ].join(''),
    },
    ...deadlineEffects(progress, nowMs, timeOf),
  ];
}

interface Pending {
  untouched: number;
  halfWay: number;
  /** Users that are not fed yet: null if the engine does not know, undefined until it has counted. */
  notFed: number | null | undefined;
}

/** Returns the users that wait, as the table by country counts them: without users that are being called. */
function pendingIn(progress: RunProgress, preview: CancelPreview | undefined): Pending {
  if (!preview) return { ...waitingUsers(progress), notFed: undefined };
  return { untouched: preview.notStartedUsers, halfWay: preview.halfWayUsers, notFed: preview.notFedUsers };
}

/** Returns the effects of a resumed run, or of a canary that continues with all users it has held back. */
export function resumeEffects(progress: RunProgress, { preview, nowMs, timeOf }: DecisionMoment): Effect[] {
  const { untouched, halfWay, notFed } = pendingIn(progress, preview);
  const others = progress.steps.length > 1 ? `, ${formatCount(halfWay)} with the step behind the one they have` : '';
  const beginning = `${formatCount(untouched)} begin with step 1${others}.`;
  return [
    {
      ...toCall(untouched + halfWay, notFed),
      lead: 'Go on where they stopped.',
      children: `${beginning}${notFedWords(notFed, ', and begin later')} Nobody gets a step again.`,
    },
    ...deadlineEffects(progress, nowMs, timeOf),
  ];
}

/** Returns the users that a run will call. The number is an estimate if users are not fed yet. */
function toCall(waiting: number, notFed: number | null | undefined): Pick<Effect, 'value' | 'unit'> {
  if (notFed === 0) return pendingOf(waiting);
  if (typeof notFed === 'number') return { value: rounded(waiting + notFed), unit: 'users pending (estimate)' };
  return { ...pendingOf(waiting), unit: 'users pending, or more' };
}

function pendingOf(users: number): Pick<Effect, 'value' | 'unit'> {
  return { value: formatCount(users), unit: users === 1 ? 'user pending' : 'users pending' };
}

function deadlineEffects(
  { deadlineAt }: RunProgress,
  nowMs: number,
  timeOf: (instant: string) => string,
): readonly Effect[] {
  if (deadlineAt === null) return [];
  const leftMs = Date.parse(deadlineAt) - nowMs;
  const left = leftMs > 0 ? `${formatDuration(leftMs)} left` : 'and has passed';
  // The day is in the text: the value has room only for a time of day.
  const { day, clock } = partsOfTime(timeOf(deadlineAt));
  return [
    {
      value: clock,
      unit: day === undefined ? 'deadline' : `deadline, ${day}`,
      lead: 'Keeps running,',
      children: `${left}. Who has not been called by then is expired.`,
    },
  ];
}

function halfWayWords(steps: RunProgress['steps']): string {
  const [first, second] = steps;
  return steps.length === 2 && first && second
    ? `${quotedTitleOf(first.action)} and not yet ${quotedTitleOf(second.action)}`
    : 'some steps and not yet the rest';
}

export function cancelEffects(preview: CancelPreview, { steps }: Pick<RunProgress, 'steps'>): Effect[] {
  return [
    throughEffect(preview, steps.at(-1)?.succeeded ?? 0),
    ...(steps.length > 1 ? [halfWayEffect(preview, steps)] : []),
    untouchedEffect(preview, steps.length),
    inFlightEffect(preview),
  ];
}

function throughEffect({ endedUsers }: CancelPreview, succeeded: number): Effect {
  const through = Math.min(endedUsers, succeeded);
  const others = endedUsers - through;
  const rest = others > 0 ? ` ${formatCount(others)} more have failed or are held out; nothing changes for them.` : '';
  return {
    value: formatCount(through),
    unit: through === 1 ? 'user is through' : 'users are through',
    lead: 'Keep what they got.',
    children: `A cancel takes nothing back.${rest}`,
  };
}

function halfWayEffect({ halfWayUsers: users }: CancelPreview, steps: RunProgress['steps']): Effect {
  const [first, second] = steps;
  const figures = {
    value: formatCount(users),
    unit: users === 1 ? 'user half-way' : 'users half-way',
    isHot: users > 0,
  };
  if (steps.length === 2 && first && second) {
    const lead = `Have ${quotedTitleOf(first.action)} and will not get ${quotedTitleOf(second.action)}.`;
    return { ...figures, lead, children: 'They end as cancelled in step 2.' };
  }
  const lead = 'Have some steps and will not get the rest.';
  return { ...figures, lead, children: 'They end as cancelled in the step they wait for.' };
}

function untouchedEffect({ notStartedUsers, notFedUsers }: CancelPreview, steps: number): Effect {
  return {
    value: formatCount(notStartedUsers),
    unit: notStartedUsers === 1 ? 'user untouched' : 'users untouched',
    lead: 'Get nothing',
    children: `and end as cancelled${inStepsWords(steps)}.${notFedWords(notFedUsers, ', and never will be')}`,
  };
}

function inStepsWords(steps: number): string {
  if (steps === 1) return '';
  return steps === 2 ? ' in both steps' : ' in every step';
}

/** @param outcome consequence for these users, as a part of a sentence that begins with a comma; may be empty */
function notFedWords(users: number | null | undefined, outcome: string): string {
  if (users === undefined) return ' Users that are not fed yet are still being counted.';
  if (users === null) return ` An unknown number of users is not fed yet${outcome}.`;
  return users > 0 ? ` About ${rounded(users)} more are not fed yet${outcome}.` : '';
}

/** Rounds an estimate to four digits: more would suggest a precision that it does not have. */
function rounded(users: number): string {
  return formatEstimate(Number(users.toPrecision(4)));
}

function inFlightEffect({ inFlight: { batches, users } }: CancelPreview): Effect {
  return {
    value: formatCount(batches),
    unit: batches === 1 ? 'batch in flight' : 'batches in flight',
    lead: batches === 1 ? 'Finishes and is recorded:' : 'Finish and are recorded:',
    children:
      `up to ${formatCount(users)} of the users above may still succeed or fail. No new call is sent later than ` +
      '2 s from now. A call that is never answered ends as unknown and is listed.',
  };
}
