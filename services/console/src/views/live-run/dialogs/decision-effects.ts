import type { CancelPreview, RunProgress } from '#client/types.gen.ts';
import type { Effect } from '../../../parts/overlays/effects.tsx';
import { formatCount, formatEstimate } from '../../../parts/words/numbers.ts';
import { formatDuration, formatSetDuration, partsOfTime } from '../../../parts/times/times.ts';
import { quotedTitleOf } from '../../../parts/words/action-titles.ts';
import { countWaitingUsers } from './waiting-users.ts';

interface DecisionContext {
  /** Counts of the engine; undefined until they are loaded. A pause does not wait for them. */
  preview?: CancelPreview | undefined;
  nowMs: number;
  timeOf: (instant: string) => string;
}

export function pauseEffects(progress: RunProgress, { preview, nowMs, timeOf }: DecisionContext): Effect[] {
  const { steps } = progress;
  // If there is a preview, all numbers come from it, so that they add up to the table below.
  const inFlight = preview?.inFlight.batches ?? progress.inFlight;
  const waitingForRetry = preview?.waiting ?? progress.waitingForRetry;
  const lastAnswer = preview
    ? `The last answer arrives within ${formatSetDuration(preview.timeToStopMs)}, the timeout of the endpoints.`
    : 'The last answer arrives within the timeout of the endpoints.';
  const { untouched, halfWay, notFed } = countPending(progress, preview);
  return [
    {
      value: formatCount(inFlight),
      unit: inFlight === 1 ? 'batch in flight' : 'batches in flight',
      lead: inFlight === 1 ? 'Finishes and is recorded.' : 'Finish and are recorded.',
      children: `New calls stop within 2 s. ${lastAnswer}`,
    },
    {
      value: formatCount(waitingForRetry),
      unit: waitingForRetry === 1 ? 'batch to retry' : 'batches to retry',
      lead: waitingForRetry === 1 ? 'Is kept.' : 'Are kept.',
      children: 'Retried with the same key after you resume.',
    },
    {
      ...formatPending(untouched + halfWay),
      lead: 'Wait.',
      children: [
        `${formatCount(untouched)} have no step yet`,
        steps.length > 1 ? `, ${formatCount(halfWay)} have ${describeHalfWay(steps)}.` : '.',
        describeNotFed(notFed, ''),
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

/** Returns the number of waiting users. Like the table by country, the number excludes users that are being called. */
function countPending(progress: RunProgress, preview: CancelPreview | undefined): Pending {
  if (!preview) return { ...countWaitingUsers(progress), notFed: undefined };
  return { untouched: preview.notStartedUsers, halfWay: preview.halfWayUsers, notFed: preview.notFedUsers };
}

/**
 * Returns the effects of resuming a paused run, or of continuing after a canary with all users that the canary held
 * back.
 */
export function resumeEffects(progress: RunProgress, { preview, nowMs, timeOf }: DecisionContext): Effect[] {
  const { untouched, halfWay, notFed } = countPending(progress, preview);
  const others = progress.steps.length > 1 ? `, ${formatCount(halfWay)} with their next step` : '';
  const beginning = `${formatCount(untouched)} begin with step 1${others}.`;
  return [
    {
      ...formatUsersToCall(untouched + halfWay, notFed),
      lead: 'Continue where they stopped.',
      children: `${beginning}${describeNotFed(notFed, ', and begin later')} No user gets a step twice.`,
    },
    ...deadlineEffects(progress, nowMs, timeOf),
  ];
}

/**
 * Returns the effects of the choice of a variant after the canary.
 *
 * @param chosen name of the variant; null until one is selected
 */
export function choiceEffects(
  progress: RunProgress,
  chosen: string | null,
  { preview, nowMs, timeOf }: DecisionContext,
): Effect[] {
  const users = preview?.notFedUsers;
  return [
    {
      value: users === undefined ? '…' : users === null ? 'not known' : `about ${formatRounded(users)}`,
      unit: 'other users',
      lead: chosen === null ? 'Get the variant that you choose.' : `Get ${chosen}.`,
      children: 'The canary users keep their variant. The choice cannot be changed later.',
    },
    ...deadlineEffects(progress, nowMs, timeOf),
  ];
}

/** Returns the users that a run will call. The number is an estimate if users are not fed yet. */
function formatUsersToCall(waiting: number, notFed: number | null | undefined): Pick<Effect, 'value' | 'unit'> {
  if (notFed === 0) return formatPending(waiting);
  if (typeof notFed === 'number') return { value: formatRounded(waiting + notFed), unit: 'users pending (estimate)' };
  return { ...formatPending(waiting), unit: 'users pending, or more' };
}

function formatPending(users: number): Pick<Effect, 'value' | 'unit'> {
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
      children: `${left}. Users who have not been called by then expire.`,
    },
  ];
}

function describeHalfWay(steps: RunProgress['steps']): string {
  const [first, second] = steps;
  return steps.length === 2 && first && second
    ? `${quotedTitleOf(first.action)} but not yet ${quotedTitleOf(second.action)}`
    : 'some steps but not yet the rest';
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
    children: `Cancelling revokes nothing.${rest}`,
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
    children: `and end as cancelled${describeSteps(steps)}.${describeNotFed(notFedUsers, ', and never will be')}`,
  };
}

function describeSteps(steps: number): string {
  if (steps === 1) return '';
  return steps === 2 ? ' in both steps' : ' in every step';
}

/** @param outcome consequence for these users, as a part of a sentence that begins with a comma; may be empty */
function describeNotFed(users: number | null | undefined, outcome: string): string {
  if (users === undefined) return ' Users that are not fed yet are still being counted.';
  if (users === null) return ` An unknown number of users is not fed yet${outcome}.`;
  return users > 0 ? ` About ${formatRounded(users)} more are not fed yet${outcome}.` : '';
}

/** Rounds an estimate to four digits: more would suggest a precision that it does not have. */
function formatRounded(users: number): string {
  return formatEstimate(Number(users.toPrecision(4)));
}

function inFlightEffect({ inFlight: { batches, users } }: CancelPreview): Effect {
  return {
    value: formatCount(batches),
    unit: batches === 1 ? 'batch in flight' : 'batches in flight',
    lead: batches === 1 ? 'Finishes and is recorded:' : 'Finish and are recorded:',
    children:
      `up to ${formatCount(users)} of the users above may still succeed or fail. New calls stop within 2 s. ` +
      'A call that is never answered ends as unknown and is listed.',
  };
}
