import type { Job } from '#client/types.gen.ts';
import type { IconName } from '../../parts/icon/icon.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { capitalize } from '../../parts/words/figures.ts';

export type JobEntry =
  | { kind: 'gap'; key: string; text: string }
  | {
      kind: 'event';
      key: string;
      at: string | null;
      icon: IconName;
      colour: 'c-ok' | 'c-bad' | 'c-warn' | 'c-run' | 't2';
      title: string;
      text: string | null;
      /** Part of the response that was stored. */
      answer: string | null;
    };

type Event = Extract<JobEntry, { kind: 'event' }>;

/** Waits below this length in milliseconds have no entry. */
const shortMs = 1000;

/** Returns all events of a job in order, with one entry for each wait. */
export function createTimeline(job: Job): JobEntry[] {
  const { acceptedAt, scheduledFor, attempts } = job;
  const accepted = event('accepted', acceptedAt, {
    icon: 'arrow',
    colour: 't2',
    title: 'Accepted',
    text: originOf(job),
  });
  const due = event('due', scheduledFor, { icon: 'scheduled', colour: 't2', title: 'Due' });
  const calls = attempts.map((attempt, place) =>
    attempts[place - 1]?.attempt === attempt.attempt ? reportOf(attempt) : callOf(attempt),
  );
  const isPast = Date.parse(scheduledFor) <= Date.parse(acceptedAt);
  const events = [accepted, ...(isPast ? [] : [due]), ...calls, ...standingOf(job)];
  return events.flatMap((each, index) => {
    const before = events[index - 1];
    return [...waitBetween(before, each), each];
  });
}

function waitBetween(before: Event | undefined, next: Event): JobEntry[] {
  if (!before?.at || !next.at) return [];
  const waitedMs = Date.parse(next.at) - Date.parse(before.at);
  if (waitedMs < shortMs) return [];
  return [{ kind: 'gap', key: `before ${next.key}`, text: `${formatDuration(waitedMs)}, ${waitWords(next.key)}` }];
}

function waitWords(key: string): string {
  if (key === 'due') return 'until it was due';
  return key === 'call 1' ? 'until it was called' : 'after that';
}

function originOf({ scheduleId, repeats, idempotencyKey }: Job): string | null {
  if (scheduleId !== null) return 'created by its schedule';
  if (repeats !== null) return 'repeats another job';
  return idempotencyKey === null ? null : `with the key ${idempotencyKey}`;
}

function callOf({ attempt, at, status, latencyMs, error, answer }: Job['attempts'][number]): Event {
  const isGood = status !== null && status >= 200 && status < 300;
  const took = latencyMs === null ? '' : ` in ${formatDuration(latencyMs)}`;
  const response = status === null ? `no answer${took}` : `${status}${took}`;
  return event(`call ${attempt}`, at, {
    ...(isGood ? { icon: 'done', colour: 'c-ok' } : { icon: 'failed', colour: 'c-bad' }),
    title: `Call ${attempt}: ${response}`,
    // If there is a status, the error repeats it, so the error is omitted.
    text: error === null || status !== null ? null : capitalize(error),
    answer,
  });
}

/**
 * Returns the second entry of an attempt whose call was accepted: the later report of the receiver, or that no report
 * came.
 */
function reportOf({ attempt, at, error, answer }: Job['attempts'][number]): Event {
  const title = `Call ${attempt}: ${error ?? 'no report'}`;
  return event(`report ${attempt}`, at, { icon: 'failed', colour: 'c-bad', title, answer });
}

function standingOf(job: Job): Event[] {
  const { state, dueAt, scheduledFor, sidelinedFor, endedAt, cause, attempt, attempts } = job;
  switch (state) {
    case 'pending': {
      if (attempts.length === 0 || dueAt === null || dueAt === scheduledFor) return [];
      const title = `Call ${attempt} is next`;
      return [event('next', dueAt, { icon: 'scheduled', colour: 't2', title })];
    }
    case 'waiting':
      return [event('waiting', null, { icon: 'pending', colour: 't2', title: 'Waiting', text: waitingWords(job) })];
    case 'firing':
      return [event('firing', null, { icon: 'running', colour: 'c-run', title: `Call ${attempt} is under way` })];
    case 'reporting': {
      const text = 'The receiver responded with 202. The job is called again if no report arrives in time.';
      return [event('reporting', dueAt, { icon: 'running', colour: 'c-run', title: 'Report due', text })];
    }
    case 'sidelined': {
      const text = `Jobs wait until ${sidelinedFor ?? 'the host'} responds again. Waiting uses no attempt.`;
      return [event('sidelined', null, { icon: 'sideline', colour: 'c-warn', title: 'Sidelined', text })];
    }
    case 'called':
      return [event('called', endedAt, { icon: 'done', colour: 'c-ok', title: 'Called successfully' })];
    case 'expired': {
      const text = 'It was not called in time and will not be called.';
      return [event('expired', endedAt, { icon: 'expired', colour: 'c-warn', title: 'Expired', text })];
    }
    case 'cancelled':
      return [event('cancelled', endedAt, { icon: 'cancelled', colour: 't2', title: 'Cancelled' })];
    case 'dead': {
      const text = capitalize(cause ?? 'all calls failed');
      return [event('dead', endedAt, { icon: 'dead', colour: 'c-bad', title: 'Given up', text })];
    }
  }
}

function waitingWords({ orderingKey, ordering }: Job): string {
  const order = ordering === 'in-order' ? ', in their order' : '';
  return `Jobs with the key ${orderingKey ?? ''} are called one at a time${order}: other jobs come first.`;
}

interface EventDetails extends Pick<Event, 'icon' | 'colour' | 'title'> {
  text?: string | null;
  answer?: string | null;
}

function event(key: string, at: string | null, { text = null, answer = null, ...details }: EventDetails): Event {
  return { kind: 'event', key, at, text, answer, ...details };
}
