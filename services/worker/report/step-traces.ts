import { publicId } from '../../../shared/domain/ids/ids.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { writeTraceparent } from '../../../shared/domain/tracing/trace-context.ts';
import { batchTracesOf, newSpanId, rootSpanOf, type BatchTraces } from '../../../shared/domain/tracing/trace-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CreatedChild, StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Span, SpanAttributes, SpanLink, Tracing } from '../../../shared/ports/tracing.ts';
import type { Reading } from '../endpoint/read-answer.ts';
import type { FinishedStep, Work } from '../step/work.ts';

export interface CallTrace {
  traceparent: string;
  /** Id of the call's span; null if the call is not sampled. */
  spanId: string | null;
}

/**
 * Records the spans of steps. A step span lasts from the claim to the recorded result, and has child spans for the
 * claim, each call and the recording. For a step that is not sampled, nothing is recorded, and ids are created only for
 * its calls.
 */
export interface StepTraces {
  /** Records claims. @param requestedAtMs monotonic time, like all times here */
  claimed(works: readonly Work[], requestedAtMs: number): void;
  /**
   * Returns the trace header of a status request. The request has no span of its own, so its parent is the span of the
   * step.
   */
  headerOf(work: Work): string;
  beginCall(work: Work): CallTrace;
  endCall(work: Work, call: CallTrace, made: MadeCall): void;
  /**
   * Records results. If a child batch is sampled, its trace begins here, with a link to the trace of its parent. The
   * step span of the parent gets links to the traces of its children.
   * @param created children that the same flush created
   * @param requestedAtMs time at which the flush was requested
   */
  recorded(steps: readonly FinishedStep[], created: readonly CreatedChild[], requestedAtMs: number): void;
  /** Returns the trace id of a sampled batch, for log lines; undefined if the batch is not sampled. */
  traceOf(step: Pick<StepRef, 'feedId' | 'batchNo'>): string | undefined;
}

export interface MadeCall {
  /** Action type of the call or of the check. */
  actionType: string;
  attempt: number;
  reading: Reading;
  startedMs: number;
}

interface OpenStep {
  spanId: string;
  startedMs: number;
}

export interface StepTracesDeps {
  tracing: Tracing;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
}

/** Maximum number of feeds whose ids are cached. If there are more, the cache is cleared. */
const maxFeeds = 1000;
/**
 * Maximum number of sampled steps in progress. If there are more, the span of the oldest step is recorded without its
 * beginning.
 */
const maxOpenSteps = 10_000;
/**
 * Maximum number of links of a span, which is also OpenTelemetry's default. A batch whose users are tried alone may
 * have more child batches.
 */
const maxLinks = 128;

export function createStepTraces({ tracing, clock, random }: StepTracesDeps): StepTraces {
  const { share } = tracing;
  const feeds = new Map<string, BatchTraces>();
  const open = new Map<string, OpenStep>();
  const spanId = () => newSpanId(random);

  function tracesOf(feedId: string): BatchTraces {
    const known = feeds.get(feedId);
    if (known) return known;
    if (feeds.size >= maxFeeds) feeds.clear();
    const traces = batchTracesOf(feedId);
    feeds.set(feedId, traces);
    return traces;
  }

  function isSampled({ feedId, batchNo }: Pick<StepRef, 'feedId' | 'batchNo'>): boolean {
    return tracesOf(feedId).isSampled(batchNo, share);
  }

  /** Converts a monotonic time to wall clock time. */
  function wallMs(monotonicMs: number): number {
    return clock.now().getTime() - (clock.monotonicMs() - monotonicMs);
  }

  function openOf({ claim }: Work, startedMs: number): OpenStep {
    const key = keyOf(claim);
    const known = open.get(key);
    if (known) return known;
    const [oldest] = open.size < maxOpenSteps ? [] : open.keys();
    if (oldest !== undefined) open.delete(oldest);
    const begun = { spanId: spanId(), startedMs };
    open.set(key, begun);
    return begun;
  }

  /**
   * Records the root spans of child batches.
   * @returns links to these spans, by the result that created the child batches
   */
  function recordChildSpans(
    steps: readonly FinishedStep[],
    created: readonly CreatedChild[],
    requestedAtMs: number,
  ): ReadonlyMap<StepResult, SpanLink[]> {
    const children = new Map<StepResult, SpanLink[]>();
    if (created.length === 0) return children;
    const works = new Map<StepResult, Work>(steps.map(({ work, result }) => [result, work]));
    for (const { result, child, batchNo } of created) {
      const work = works.get(result);
      if (!work) continue;
      const ofChild = linkTo({ feedId: result.feedId, batchNo });
      const known = children.get(result);
      if (!known) children.set(result, [ofChild]);
      else if (known.length < maxLinks) known.push(ofChild);
      if (!ofChild.isSampled) continue;
      const { traceId, spanId: own } = ofChild;
      tracing.record({
        traceId,
        spanId: own,
        parentId: null,
        name: 'child batch',
        kind: 'producer',
        error: null,
        startMs: wallMs(requestedAtMs),
        endMs: wallMs(clock.monotonicMs()),
        links: [linkTo(result, open.get(keyOf(result))?.spanId)],
        attributes: {
          ...ofBatch(work, batchNo, child.users.length),
          'muster.step': result.step,
          'muster.parent_batch': result.batchNo,
        },
      });
    }
    return children;
  }

  /**
   * Returns a link to a batch.
   * @param ofStep id of the batch's step span, if it is known; otherwise, the link is to the root span
   */
  function linkTo(batch: Pick<StepRef, 'feedId' | 'batchNo'>, ofStep?: string): SpanLink {
    const traceId = tracesOf(batch.feedId).traceOf(batch.batchNo);
    return { traceId, spanId: ofStep ?? rootSpanOf(traceId), isSampled: isSampled(batch) };
  }

  function record(work: Work, span: SpanOfStep, timing: StepTiming): void {
    const { feedId, batchNo, step } = work.claim;
    tracing.record({
      ...span,
      traceId: tracesOf(feedId).traceOf(batchNo),
      startMs: wallMs(timing.startedMs),
      endMs: wallMs(timing.endedMs ?? clock.monotonicMs()),
      attributes: { 'muster.step': step, 'muster.action': work.actionType, ...timing.attributes },
    });
  }

  return {
    claimed: (works, requestedAtMs) => {
      for (const work of works) {
        if (!isSampled(work.claim)) continue;
        // This worker has lost the step and claimed it again, so the step's span begins anew.
        open.delete(keyOf(work.claim));
        const { spanId: parentId } = openOf(work, requestedAtMs);
        const attributes = { 'muster.epoch': work.claim.epoch };
        const span = { spanId: spanId(), parentId, name: 'claim', kind: 'internal', error: null } as const;
        record(work, span, { startedMs: requestedAtMs, attributes });
      }
    },

    headerOf: ({ claim }) => {
      const traceId = tracesOf(claim.feedId).traceOf(claim.batchNo);
      const ofStep = open.get(keyOf(claim))?.spanId ?? rootSpanOf(traceId);
      return writeTraceparent({ traceId, spanId: ofStep, isSampled: isSampled(claim) });
    },

    beginCall: ({ claim }) => {
      const traceId = tracesOf(claim.feedId).traceOf(claim.batchNo);
      const sampled = isSampled(claim);
      const ofCall = sampled ? spanId() : null;
      const traceparent = writeTraceparent({ traceId, spanId: ofCall ?? rootSpanOf(traceId), isSampled: sampled });
      return { traceparent, spanId: ofCall };
    },

    endCall: (work, call, { actionType, attempt, reading, startedMs }) => {
      if (call.spanId === null) return;
      const { feedId, batchNo, step } = work.claim;
      const error = reading.kind === 'reported' ? null : reading.cause;
      const { spanId: parentId } = openOf(work, startedMs);
      const span = { spanId: call.spanId, parentId, name: `call ${actionType}`, kind: 'client', error } as const;
      const attributes = {
        'muster.attempt': attempt,
        'muster.users': work.count,
        'muster.result': reading.kind,
        'muster.request_key': requestKey(feedId, batchNo, step),
      };
      record(work, span, { startedMs, attributes });
    },

    recorded: (steps, created, requestedAtMs) => {
      const children = recordChildSpans(steps, created, requestedAtMs);
      if (open.size === 0) return;
      for (const { work, result } of steps) {
        if (!isSampled(work.claim)) continue;
        const key = keyOf(work.claim);
        const step = open.get(key);
        if (!step) continue;
        open.delete(key);
        const below = { spanId: spanId(), parentId: step.spanId, name: 'record', kind: 'internal' } as const;
        record(work, { ...below, error: null }, { startedMs: requestedAtMs, attributes: {} });
        const { feedId, batchNo } = work.claim;
        const parentId = rootSpanOf(tracesOf(feedId).traceOf(batchNo));
        const { spanId: own, startedMs } = step;
        const whole = { spanId: own, parentId, name: `step ${work.actionType}`, kind: 'consumer' } as const;
        const links = children.get(result);
        record(work, { ...whole, links, error: causeOf(result) }, { startedMs, attributes: factsOf(work, result) });
      }
    },

    traceOf: (step) => (isSampled(step) ? tracesOf(step.feedId).traceOf(step.batchNo) : undefined),
  };
}

type SpanOfStep = Pick<Span, 'spanId' | 'parentId' | 'name' | 'kind' | 'links' | 'error'>;

interface StepTiming {
  startedMs: number;
  /** End of the span; default: the present time. */
  endedMs?: number;
  attributes: SpanAttributes;
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return `${feedId}/${batchNo}/${step}`;
}

/** Returns the cause for which a step waits. Null if the step is done, or was only released. */
function causeOf(result: StepResult): string | null {
  return result.state === 'done' ? null : result.cause;
}

function ofBatch({ context }: Pick<Work, 'context'>, batchNo: number, users: number): SpanAttributes {
  const { runId, campaignId, country } = context;
  return {
    'muster.run': publicId('run', runId),
    'muster.campaign': publicId('campaign', campaignId),
    'muster.country': country,
    'muster.batch': batchNo,
    'muster.users': users,
  };
}

function factsOf(work: Work, result: StepResult): SpanAttributes {
  const done = result.state === 'done' && {
    'muster.failed': result.failures.length,
    'muster.child_batches': result.children.length,
  };
  return {
    ...ofBatch(work, work.claim.batchNo, work.count),
    'muster.epoch': work.claim.epoch,
    'muster.state': result.state,
    ...done,
  };
}
