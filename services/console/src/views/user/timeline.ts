import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { sentence } from '../../parts/words/figures.ts';
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
const shownGapMs = 1000;

/** Returns all events of a user in a run, in order, with one entry for each wait. */
export function timelineOf({ audience, batches, steps }: Explanation): Timeline {
  const [fed] = batches;
  const place: TimelineEntry[] = [
    event('audience', { tone: 'member', title: 'In the audience', text: audienceText(audience.detail) }),
  ];
  if (fed) {
    const title = `Fed in batch ${formatCount(fed.batchNo)}${audience.country === null ? '' : ` of ${audience.country}`}`;
    place.push(event('fed', { tone: 'fed', title, text: `With ${countOf(fed.users - 1, 'other user')}.` }));
  }
  let before: string | null = null;
  const shown: TimelineStep[] = [];
  for (const step of steps) {
    shown.push({ step, summary: callSummary(step), entries: stepEntries(step, before) });
    before = step.attempts.at(-1)?.at ?? before;
  }
  return { audience: place, steps: shown };
}

function audienceText(detail: string): string {
  return detail === 'it was fed' ? 'It was in the audience when the run came to it.' : sentence(detail);
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
      ...gapOf(`receipt-gap-${step.step}`, last, receipt.at, 'until the provider said what became of it'),
      event(`receipt-${step.step}`, {
        at: receipt.at,
        tone: receipt.status === 'delivered' ? 'good' : 'bad',
        title: `Receipt: ${receipt.status}${receipt.code === null ? '' : `, ${receipt.code}`}`,
        text: 'Counted apart from succeeded.',
        aside: 'from the provider',
      }),
    );
  }
  return entries;
}

function gapEntries(step: ExplainedStep, attempt: Attempt, last: string | null, before: Attempt | null | undefined) {
  const why = before ? gapReasons[before.result] : 'between the steps';
  return gapOf(`gap-${step.step}-${attempt.attempt}`, last, attempt.at, why);
}

function gapOf(key: string, from: string | null, to: string, why: string): TimelineEntry[] {
  const ms = from === null ? 0 : Date.parse(to) - Date.parse(from);
  return ms < shownGapMs ? [] : [{ kind: 'gap', key, text: `${formatDuration(ms)} ${why}` }];
}

/** Reasons of the wait after a call with this result. */
const gapReasons: Record<Attempt['result'], string> = {
  succeeded: 'until the next call',
  failed: 'until the next call',
  unknown: 'until the next call',
  retryable: 'of back-off: the endpoint asked to try again',
  missing: 'of back-off: the answer did not name this user',
  refused: 'of back-off: the whole batch was refused',
  misconfigured: 'held: the endpoint was not as configured',
  'not-applied': 'of waiting: the endpoint did not take it',
  ambiguous: 'of back-off, then the same key again',
  lost: 'until another worker took the batch over',
  unchecked: 'until the check was asked again',
};

interface CallWords {
  tone: Tone;
  title: string;
  meaning: string;
}

const callWords: Record<Attempt['result'], CallWords> = {
  succeeded: { tone: 'good', title: 'succeeded', meaning: '' },
  failed: { tone: 'bad', title: 'failed', meaning: 'The endpoint said so: it is final' },
  unknown: {
    tone: 'odd',
    title: 'outcome unknown',
    meaning: 'It may or may not have been applied. Only a person or a settlement can tell',
  },
  retryable: { tone: 'waits', title: 'try again later', meaning: 'Not applied to this user' },
  missing: { tone: 'watch', title: 'no result for this user', meaning: 'The answer named others of the batch' },
  refused: { tone: 'watch', title: 'the batch was refused', meaning: 'Nobody of the batch got it' },
  misconfigured: { tone: 'watch', title: 'refused as misconfigured', meaning: 'Nobody loses an attempt by it' },
  'not-applied': { tone: 'waits', title: 'not applied yet', meaning: 'Costs no attempt' },
  ambiguous: {
    tone: 'watch',
    title: 'no whole answer',
    meaning: 'May have been applied, so the key stays open and nobody is failed',
  },
  lost: {
    tone: 'watch',
    title: 'the worker was lost',
    meaning: 'It may have called, so the key stays open and nobody is failed',
  },
  unchecked: { tone: 'waits', title: 'the check gave no answer', meaning: 'Nobody was called: it is asked again' },
};

function callEntry(step: ExplainedStep, { attempt, at, batchNo, result, code, message }: Attempt): TimelineEntry {
  const words = callWords[result];
  const title = result === 'succeeded' && step.receipt ? 'accepted' : words.title;
  const said = message === null ? '' : sentence(message);
  const meaning = words.meaning === '' ? '' : sentence(words.meaning);
  return event(`call-${step.step}-${attempt}`, {
    at,
    tone: words.tone,
    title: `Call ${attempt}: ${title}${code === null ? '' : `, ${code}`}`,
    text: [said, meaning].filter((part) => part !== '').join(' ') || null,
    aside: `batch ${formatCount(batchNo)}`,
  });
}

/** Returns the entries of a step beside its calls: that it was never called, or the cause of its wait. */
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
      event(key, { tone: 'plain', title: 'Skipped', text: 'The step before did not succeed, so nobody was called.' }),
    ];
  }
  const isSettled = outcome === 'succeeded' && reason !== null;
  if (isSettled) {
    const text = 'Nobody knew until it was settled after the run. It did not go on to the next step.';
    return [event(key, { at: step.endedAt, tone: 'good', title: 'Settled as succeeded', text })];
  }
  if (attempts.length > 0 || outcome === 'succeeded') return [];
  const words: Partial<Record<typeof outcome, string>> = {
    expired: 'The deadline of the run passed before it was called.',
    cancelled: 'The run was cancelled before it was called.',
    heldOut: 'It is held out, and gets nothing on purpose.',
    suppressed: 'A rule withheld it.',
  };
  const text = [detail === null ? '' : sentence(detail), words[outcome] ?? ''].filter((part) => part !== '').join(' ');
  const tone = outcome === 'failed' ? 'bad' : outcome === 'unknown' ? 'odd' : 'plain';
  const title = `${sentence(outcome === 'heldOut' ? 'held out' : outcome).slice(0, -1)} without a call${reason === null ? '' : `: ${reason}`}`;
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
