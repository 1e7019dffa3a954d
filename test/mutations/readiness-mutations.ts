import type { Mutation } from './mutation.ts';

/** Protections of readiness reports, of texts that no table can store, and of downloads. */
export const readinessMutations: readonly Mutation[] = [
  {
    takesAway: 'fetches that no broker answers make a consumer not ready',
    edits: [{ text: 'if (unansweredMs >= unansweredTooLongMs) {', replacement: 'if (unansweredMs < 0) {' }],
    project: 'unit',
    noticedBy: ['consumer-health'],
  },
  {
    takesAway: 'requests that time out one after another count as one silence',
    edits: [
      {
        text: 'if (!isUnreachable(error) && underWay === 1) dueMs = undefined;',
        replacement: 'if (underWay === 1) dueMs = undefined;',
      },
    ],
    project: 'unit',
    noticedBy: ['answer-watch'],
  },
  {
    takesAway: 'a check of readiness that is under way is not repeated',
    edits: [
      {
        text: 'let checking = underWay.get(check);',
        replacement: 'let checking: Promise<void> | undefined;',
      },
    ],
    project: 'unit',
    noticedBy: ['readiness'],
  },
  {
    takesAway: 'jobs are not stored again at once on a full disk',
    edits: [{ text: 'if (isDatabaseFull(error)) throw lost ?? error;', replacement: '' }],
    project: 'unit',
    noticedBy: ['job-acceptor'],
  },
  {
    takesAway: 'no body holds U+0000 or half of a surrogate pair',
    edits: [{ text: 'if (mayHoldUnstorable(text)) refuse(unstorableTexts(value));', replacement: '' }],
    project: 'unit',
    noticedBy: ['json-body'],
  },
  {
    takesAway: 'a reader that stops does not keep a slot',
    edits: [
      {
        text: 'const isSlow = taken < waiting && taken < (minBytesPerSecond * rateWindowMs) / 1000;',
        replacement: 'const isSlow = taken < 0;',
      },
    ],
    project: 'unit',
    noticedBy: ['slow-download'],
  },
  {
    takesAway: 'parameters are checked by their own fields alone',
    edits: [{ text: '    ownProperties: true,\n', replacement: '' }],
    project: 'unit',
    noticedBy: ['check-params'],
  },
  {
    takesAway: 'no path and no query holds U+0000',
    edits: [
      {
        text: 'done(problems.length > 0 ? invalidRequest(problems) : undefined);',
        replacement: 'done();',
      },
    ],
    project: 'integration',
    noticedBy: ['document/openapi'],
  },
];
