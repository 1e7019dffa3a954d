import type { CancelPreview, ControlledRun, Run } from '../../sdk/generated/types.gen.ts';
import { count, duration } from '../show/numbers.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

/** Describes the effects of a cancellation by country, and the question to a person. */
export function cancelQuestion(preview: CancelPreview): { byCountry: string[]; question: string } {
  const question = `${previewText(preview)}. There is no way back. Cancel ${preview.runId}?`;
  return { byCountry: preview.countries.map(countryText), question };
}

function previewText(preview: CancelPreview): string {
  const { notFedUsers, notStartedUsers, halfWayUsers, finishingUsers, endedUsers, inFlight, timeToStopMs } = preview;
  const unfed = notFedUsers === null ? ', and those who are not paged yet' : '';
  const notStarted = notStartedUsers + (notFedUsers ?? 0);
  const parts = [
    `${usersText(notStarted)} not begun get nothing${unfed}`,
    `${usersText(halfWayUsers)} under way stop after their present step`,
    `${usersText(finishingUsers)} finish`,
    `${usersText(endedUsers)} have ended`,
  ];
  const { batches } = inFlight;
  if (batches > 0) {
    const calls = batches === 1 ? '1 call is' : `${count(batches)} calls are`;
    parts.push(`${calls} under way, the last one ends within ${Math.ceil(timeToStopMs / 1000)} s`);
  }
  return parts.join('; ');
}

/** Formats `VN: 400 not begun, 100 half-way, 20 in flight`. */
function countryText({ country, steps }: CancelPreview['countries'][number]): string {
  const sum = (of: 'notStartedUsers' | 'halfWayUsers' | 'inFlightUsers') =>
    count(steps.reduce((users, step) => users + step[of], 0));
  const waiting = `${sum('notStartedUsers')} not begun, ${sum('halfWayUsers')} half-way`;
  return `  ${oneLine(country)}: ${waiting}, ${sum('inFlightUsers')} in flight`;
}

function usersText(users: number): string {
  return users === 1 ? '1 user' : `${count(users)} users`;
}

/** Formats `run_1 pausing; 12 calls were under way (1,200 users), they end within 12 s`. */
export function controlledText(
  verb: 'pause' | 'resume' | 'cancel',
  { run, inFlight, timeToStopMs }: ControlledRun,
): string {
  const { runId, state } = run;
  if (verb === 'resume') return `${runId} ${state}`;
  if (inFlight.batches === 0) return `${runId} ${state}; nothing was under way`;
  const calls = inFlight.batches === 1 ? '1 call was' : `${count(inFlight.batches)} calls were`;
  const end = `${inFlight.batches === 1 ? 'it ends' : 'they end'} within ${duration(timeToStopMs / 1000)}`;
  return `${runId} ${state}; ${calls} under way (${usersText(inFlight.users)}), ${end}`;
}

/** Formats `deadline 2026-11-22 09:00 UTC, priority high, at most 500 users/s, pauses at 5 % failed`. */
export function settingsLine({ deadlineAt, settings }: Pick<Run, 'deadlineAt' | 'settings'>): string {
  const { priority, paceUsersPerSecond: pace, pauseAtFailedPercent: percent, pauseAtFailedMinUsers: users } = settings;
  return [
    ...(deadlineAt === null ? [] : [`deadline ${utcTime(deadlineAt)}`]),
    `priority ${priority}`,
    pace === null ? 'no pace' : `at most ${count(pace)} users/s`,
    ...(percent === null ? [] : [`pauses at ${percent} % failed of ${count(users)} users or more`]),
  ].join(', ');
}
