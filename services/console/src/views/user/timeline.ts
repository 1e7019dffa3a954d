import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { formatSentence } from '../../parts/words/figures.ts';
import type { Attempt, ExplainedStep, Explanation } from './explanation.ts';

/** Style of an entry. Each has its own shape, so that colour is not the only difference. */
export type Tone = 'good' | 'bad' | 'odd' | 'watch' | 'plain' | 'member' | 'fed' | 'waits';

export type TimelineEntry =
  | {
      kind: 'event';
      key: string;
      at: string | null;
      tone: Tone;
      title: string;
      text: string | null;
      aside: string | null;
    }
  /** A period without events, as one line. */
  | { kind: 'gap'; key: string; text: string };

export interface TimelineStep {
  step: ExplainedStep;
  /** Summary such as `3 calls in 2 batches`. */
  summary: string;
  entries: TimelineEntry[];
}

export interface Timeline {
  audience: TimelineEntry[];
  steps: TimelineStep[];
}

/** Waits below this length in milliseconds have no entry. */
const minGapMs = 1000;

/** Returns all events of a user in a run, in order, with one entry for each wait. */
export function buildTimeline({ audience, batches, steps }: Explanation): Timeline {
  const [fed] = batches;
  const place: TimelineEntry[] = [
    event('audience', { tone: 'member', title: 'In the audience', text: audienceText(audience.detail) }),
  ];
  if (fed) {
    const title = `Fed in batch ${formatCount(fed.batchNo)}${audience.country === null ? '' : ` of ${audience.country}`}`;
    place.push(event('fed', { tone: 'fed', title, text: `With ${countOf(fed.users - 1, 'other user')}.` }));
  }
  let before: string | null = null;
  const timelineSteps: TimelineStep[] = [];
  for (const step of steps) {
    timelineSteps.push({ step, summary: callSummary(step), entries: stepEntries(step, before) });
    before = step.attempts.at(-1)?.at ?? before;
  }
  return { audience: place, steps: timelineSteps };
}

function audienceText(detail: string): string {
  return detail === 'it was fed'
    ? 'The user was in the audience when the run reached this id.'
    : formatSentence(detail);
}

function stepEntries(step: ExplainedStep, before: string | null): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let last = before;
  let isFirst = true;
  for (const attempt of step.attempts) {
    entries.push(...gapEntries(step, attempt, last, isFirst ? null : step.attempts[attempt.attempt - 2]));
    entries.push(callEntry(step, attempt));
    last = attempt.at;
    isFirst = false;
  }
  entries.push(...outcomeEntries(step));
  const { receipt } = step;
  if (receipt) {
    entries.push(
      ...createGap(`receipt-gap-${step.step}`, last, receipt.at, 'until the receipt of the provider'),
      event(`receipt-${step.step}`, {
        at: receipt.at,
        tone: receipt.status === 'delivered' ? 'good' : 'bad',
        title: `Receipt: ${receipt.status}${receipt.code === null ? '' : `, ${receipt.code}`}`,
        text: 'Counted separately from succeeded.',
        aside: 'from the provider',
      }),
    );
  }
  return entries;
}

function gapEntries(step: ExplainedStep, attempt: Attempt, last: string | null, before: Attempt | null | undefined) {
  const why = before ? gapReasons[before.result] : 'between the steps';
  return createGap(`gap-${step.step}-${attempt.attempt}`, last, attempt.at, why);
}

function createGap(key: string, from: string | null, to: string, why: string): TimelineEntry[] {
  const ms = from === null ? 0 : Date.parse(to) - Date.parse(from);
  return ms < minGapMs ? [] : [{ kind: 'gap', key, text: `${formatDuration(ms)} ${why}` }];
}

/** Describes the wait after a call, by the result of that call. */
const gapReasons: Record<Attempt['result'], string> = {
  succeeded: 'until the next call',
  failed: 'until the next call',
  unknown: 'until the next call',
  retryable: 'of backoff: the endpoint requested a retry',
  missing: 'of backoff: the answer did not include this user',
  refused: 'of backoff: the whole batch was refused',
  misconfigured: 'held: the endpoint did not match its configuration',
  'not-applied': 'of waiting: the endpoint did not accept the call',
  ambiguous: 'of backoff, then a retry with the same key',
  lost: 'until another worker took the batch over',
  unchecked: 'until the check was repeated',
};

interface CallWords {
  tone: Tone;
  title: string;
  meaning: string;
}

const callWords: Record<Attempt['result'], CallWords> = {
  succeeded: { tone: 'good', title: 'succeeded', meaning: '' },
  failed: { tone: 'bad', title: 'failed', meaning: 'The endpoint reported a final failure' },
  unknown: {
    tone: 'odd',
    title: 'outcome unknown',
    meaning: 'It may or may not have been applied. A person or a settlement has to decide',
  },
  retryable: { tone: 'waits', title: 'try again later', meaning: 'Not applied to this user' },
  missing: { tone: 'watch', title: 'no result for this user', meaning: 'The answer included other users of the batch' },
  refused: { tone: 'watch', title: 'the batch was refused', meaning: 'It was applied to no user of the batch' },
  misconfigured: { tone: 'watch', title: 'refused as misconfigured', meaning: 'It uses no attempt' },
  'not-applied': { tone: 'waits', title: 'not applied yet', meaning: 'It uses no attempt' },
  ambiguous: {
    tone: 'watch',
    title: 'no complete answer',
    meaning: 'It may have been applied, so the key stays open and no user fails',
  },
  lost: {
    tone: 'watch',
    title: 'the worker was lost',
    meaning: 'The worker may have called, so the key stays open and no user fails',
  },
  unchecked: { tone: 'waits', title: 'the check gave no answer', meaning: 'No call was made; the check is repeated' },
};

function callEntry(step: ExplainedStep, { attempt, at, batchNo, result, code, message }: Attempt): TimelineEntry {
  const words = callWords[result];
  const title = result === 'succeeded' && step.receipt ? 'accepted' : words.title;
  const messageText = message === null ? '' : formatSentence(message);
  const meaning = words.meaning === '' ? '' : formatSentence(words.meaning);
  return event(`call-${step.step}-${attempt}`, {
    at,
    tone: words.tone,
    title: `Call ${attempt}: ${title}${code === null ? '' : `, ${code}`}`,
    text: [messageText, meaning].filter((part) => part !== '').join(' ') || null,
    aside: `batch ${formatCount(batchNo)}`,
  });
}

/** Returns the entries of a step that are not calls, such as the cause of its wait, or that it was never called. */
function outcomeEntries(step: ExplainedStep): TimelineEntry[] {
  const { outcome, attempts, reason, detail, waitsFor, nextAttemptAt } = step;
  const key = `outcome-${step.step}`;
  if (outcome === 'pending') {
    const title = waitsFor === null ? 'Waits for its turn' : `Waits for ${waitsFor}`;
    return [
      event(key, {
        at: nextAttemptAt,
        tone: 'waits',
        title,
        text: nextAttemptAt === null ? null : 'The next call is due then.',
      }),
    ];
  }
  if (outcome === 'skipped') {
    return [
      event(key, { tone: 'plain', title: 'Skipped', text: 'The previous step did not succeed, so no call was made.' }),
    ];
  }
  const isSettled = outcome === 'succeeded' && reason !== null;
  if (isSettled) {
    const text =
      'The outcome was unknown until it was settled after the run. The user did not continue to the next step.';
    return [event(key, { at: step.endedAt, tone: 'good', title: 'Settled as succeeded', text })];
  }
  if (attempts.length > 0 || outcome === 'succeeded') return [];
  const words: Partial<Record<typeof outcome, string>> = {
    expired: 'The deadline of the run passed before the call.',
    cancelled: 'The run was cancelled before the call.',
    heldOut: 'The user is held out and gets nothing intentionally.',
    suppressed: reason === 'muster.cap' ? 'A cap suppressed it.' : 'A rule suppressed it.',
  };
  const text = [detail === null ? '' : formatSentence(detail), words[outcome] ?? '']
    .filter((part) => part !== '')
    .join(' ');
  const tone = outcome === 'failed' ? 'bad' : outcome === 'unknown' ? 'odd' : 'plain';
  const title = `${formatSentence(outcome === 'heldOut' ? 'held out' : outcome).slice(0, -1)} without a call${reason === null ? '' : `: ${reason}`}`;
  return [event(key, { at: step.endedAt, tone, title, text: text === '' ? null : text })];
}

function callSummary({ attempts }: ExplainedStep): string {
  if (attempts.length === 0) return 'no call';
  const batches = new Set(attempts.map(({ batchNo }) => batchNo)).size;
  return `${countOf(attempts.length, 'call')}, ${countOf(batches, 'key')}`;
}

type EventFields = Partial<Extract<TimelineEntry, { kind: 'event' }>> & { tone: Tone; title: string };

function event(key: string, { at = null, tone, title, text = null, aside = null }: EventFields): TimelineEntry {
  return { kind: 'event', key, at, tone, title, text, aside };
}
