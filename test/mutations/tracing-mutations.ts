import type { Mutation } from './mutation.ts';

export const tracingMutations: readonly Mutation[] = [
  {
    takesAway: 'the batches of each feed are traced by themselves',
    edits: [
      {
        text: 'const high = (batchNo: number) => mixed(batchNo ^ right);',
        replacement: 'const high = (batchNo: number) => mixed(batchNo ^ (right & 0));',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/tracing/trace-ids'],
  },
  {
    takesAway: 'the share of traces is the same whether a batch or its trace is asked about',
    edits: [
      {
        text: 'isWithin(Number.parseInt(traceId.slice(18, 26), 16), share)',
        replacement: 'isWithin(Number.parseInt(traceId.slice(24), 16), share)',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/tracing/trace-ids'],
  },
  {
    takesAway: 'a long tracestate is no part of a trace',
    edits: [
      { text: "if (text === '' || text.length > maxStateLength)", replacement: "if (text === '')" },
      { text: 'members.length <= maxStateMembers && ', replacement: '' },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/tracing/trace-context'],
  },
  {
    takesAway: 'spans of traces beyond the queue are dropped',
    edits: [{ text: 'if (isStopped || queue.length >= maxQueuedSpans) {', replacement: 'if (isStopped) {' }],
    project: 'unit',
    noticedBy: ['shared/runtime/tracing/otlp-tracing'],
  },
  {
    takesAway: 'the last spans of traces are sent at a stop',
    edits: [
      {
        text: 'while (queue.length > 0 && leftMs() > 0) if (!(await send(leftMs()))) break;',
        replacement: 'if (leftMs() < 0) await send(leftMs());',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/runtime/tracing/otlp-tracing'],
  },
  {
    takesAway: 'a step that is tried again stays in the trace of its batch',
    edits: [
      {
        text: 'traceId: tracesOf(feedId).traceOf(batchNo),',
        replacement: 'traceId: tracesOf(feedId).traceOf(batchNo + work.claim.epoch),',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/report/step-traces'],
  },
  {
    takesAway: 'the trace of a child batch has a link to the step that bore it',
    edits: [{ text: 'links: [linkTo(result, open.get(keyOf(result))?.spanId)],', replacement: 'links: [],' }],
    project: 'unit',
    noticedBy: ['services/worker/report/step-traces'],
  },
  {
    takesAway: 'a step has links to the child batches that it bore',
    edits: [{ text: 'const links = children.get(result);', replacement: 'const links = undefined;' }],
    project: 'unit',
    noticedBy: ['services/worker/report/step-traces'],
  },
  {
    takesAway: 'children are told by the flush that bears them, and not by a repeat of it',
    edits: [
      {
        text: 'children, created, timed, begun, refused: [] };',
        replacement: 'children, created: [], timed, begun, refused: [] };',
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/execution-path'],
  },
  {
    takesAway: 'of the jobs that schedules make, the share of all others is traced',
    edits: [
      {
        text: 'if (!isJob || !isSampled(traceId, tracing.share)) continue;',
        replacement: 'if (!isJob) continue;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/scheduler/recur'],
  },
  {
    takesAway: 'a caller decides whether its trace is recorded',
    edits: [
      {
        text: 'return isSampledByCaller !== undefined && followsCallers ? isSampledByCaller : isSampled(traceId, share);',
        replacement: 'return (isSampledByCaller === undefined || followsCallers) && isSampled(traceId, share);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/call/job-traces'],
  },
  {
    takesAway: 'the trace of a job is no part of what its key stands for',
    edits: [
      {
        text: 'headers: headersOf(headers, body) };',
        replacement:
          'headers: headersOf(wanted.trace ? { ...headers, traceparent: wanted.trace.parent } : headers, body) };',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/jobs/accept/accept-routes'],
  },
];
