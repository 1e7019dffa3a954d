import { z } from 'zod';

/** Restricts how often a matching rule applies. Without any of these fields, a rule always applies. */
const often = {
  /** Number of matches to skip first. */
  after: z.int().min(1).optional(),
  /** Every nth match. */
  every: z.int().min(1).optional(),
  /** Share of the matches, 0 to 1, chosen by a hash of the key and the attempt. */
  share: z.number().min(0).max(1).optional(),
  /** Maximum number of times that the rule applies. */
  times: z.int().min(1).optional(),
};

const latencyMs = z.int().min(0).max(600_000).optional();

/** Statuses of interim responses that are sent, in this order, right before the final response. */
const interim = z
  .array(z.literal([100, 102, 103]))
  .max(1000)
  .optional();

const pickedUsers = {
  users: z.array(z.string()).optional(),
  userShare: z.number().min(0).max(1).optional(),
};

const applied = z.boolean().default(true);

/**
 * Fault that replaces the correct response. If `applied` is true, the effects happen nevertheless. Default: false for
 * `status`, true for all others.
 */
export const faultyAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(300).max(599),
    retryAfterSeconds: z.int().min(0).optional(),
    code: z.string().optional(),
    applied: z.boolean().default(false),
  }),
  /** Sends no response until the caller disconnects. A delay of the effects simulates a proxy or a row lock. */
  z.strictObject({ kind: z.literal('hang'), applied, appliedAfterMs: z.int().min(0).max(600_000).default(0) }),
  z.strictObject({ kind: z.literal('reset'), applied }),
  z.strictObject({ kind: z.literal('half-body'), applied }),
  /** Fault that answers 200 with a body that is not JSON. */
  z.strictObject({ kind: z.literal('garbage'), applied }),
  /** Fault that answers 200 with this number of spaces. */
  z.strictObject({ kind: z.literal('oversize'), bytes: z.int().min(1), applied }),
  /** Fault that sends the correct answer byte by byte. */
  z.strictObject({ kind: z.literal('drip'), everyMs: z.int().min(1), applied }),
  /** Fault that counts, in the compact form, one success more than requested. */
  z.strictObject({ kind: z.literal('wrong-count'), applied }),
  /** Adds users to the answer that were not requested. */
  z.strictObject({ kind: z.literal('add-users'), users: z.array(z.string()).min(1) }),
  /** Reports this status for users (those named, a share of all, or all), whatever their real outcome. */
  z.strictObject({ kind: z.literal('tell-users'), ...pickedUsers, status: z.string(), code: z.string().optional() }),
  z.strictObject({ kind: z.literal('mangle-ids') }),
  /** Compresses the answer, although the request did not allow it. */
  z.strictObject({ kind: z.literal('compressed') }),
  /** Omits some users from the response, although they were served: the named users, or a share of all. */
  z.strictObject({
    kind: z.literal('omit-users'),
    ...pickedUsers,
  }),
  z.strictObject({
    kind: z.literal('fail-users'),
    ...pickedUsers,
    code: z.string(),
    retryable: z.boolean().default(false),
  }),
]);

export type FaultyAnswer = z.infer<typeof faultyAnswer>;

/** A fault of the batch services: the calls that match, the frequency, and the answer. */
export const callRule = z.strictObject({
  /** Name under which hits are counted. */
  name: z.string().min(1),
  services: z.array(z.enum(['rewards', 'points', 'messages', 'checks'])).optional(),
  countries: z.array(z.string()).optional(),
  campaigns: z.array(z.string()).optional(),
  runs: z.array(z.string()).optional(),
  steps: z.array(z.int()).optional(),
  /** Matches calls whose action has these parameters. It may have others too. */
  params: z.record(z.string(), z.json()).optional(),
  /** Matches calls with at least one of these users. */
  users: z.array(z.string()).optional(),
  moreUsersThan: z.int().min(1).optional(),
  /** Matches calls of original batches, but not of batches with retried users. */
  firstTries: z.literal(true).optional(),
  /** Matches calls with a user id that contains other characters than letters, digits and hyphens. */
  oddIds: z.literal(true).optional(),
  /** Calls whose body has a field that the contract does not define. */
  unknownFields: z.literal(true).optional(),
  /** Matches calls that arrive while another call with the same key is in flight. */
  overlapping: z.literal(true).optional(),
  fromAttempt: z.int().min(1).optional(),
  toAttempt: z.int().min(1).optional(),
  ...often,
  latencyMs,
  interim,
  answer: faultyAnswer.optional(),
});

export type CallRule = z.infer<typeof callRule>;

/** A fault of the status endpoints (class C). */
export const statusRule = z.strictObject({
  name: z.string().min(1),
  services: z.array(z.enum(['rewards', 'points', 'messages'])).optional(),
  runs: z.array(z.string()).optional(),
  /** Matches queries with at least one of these users. */
  users: z.array(z.string()).optional(),
  ...often,
  latencyMs,
  interim,
  answer: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('status'), status: z.int().min(300).max(599) }),
      z.strictObject({ kind: z.literal('hang') }),
      z.strictObject({ kind: z.literal('reset') }),
      z.strictObject({ kind: z.literal('garbage') }),
      z.strictObject({ kind: z.literal('oversize'), bytes: z.int().min(1) }),
      z.strictObject({ kind: z.literal('drip'), everyMs: z.int().min(1) }),
      z.strictObject({ kind: z.literal('compressed') }),
      z.strictObject({ kind: z.literal('mangle-ids') }),
      /** Answers for the first step, even if another step is requested. */
      z.strictObject({ kind: z.literal('first-step') }),
      z.strictObject({ kind: z.literal('omit-users'), ...pickedUsers }),
      z.strictObject({
        kind: z.literal('tell-users'),
        ...pickedUsers,
        status: z.string(),
        code: z.string().optional(),
      }),
    ])
    .optional(),
});

export type StatusRule = z.infer<typeof statusRule>;

export const segmentationRule = z.strictObject({
  name: z.string().min(1),
  segments: z.array(z.string()).optional(),
  countries: z.array(z.string()).optional(),
  of: z.enum(['descriptions', 'pages']).optional(),
  /** Pages after the first of a segment. */
  notFirst: z.boolean().optional(),
  ...often,
  latencyMs,
  interim,
  answer: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('status'), status: z.int().min(300).max(599) }),
      z.strictObject({ kind: z.literal('hang') }),
      /** Swaps the first two users of the page. */
      z.strictObject({ kind: z.literal('unsorted') }),
    ])
    .optional(),
});

export type SegmentationRule = z.infer<typeof segmentationRule>;

/** A fault of the receipts that messages send later. */
export const receiptRule = z.strictObject({
  name: z.string().min(1),
  runs: z.array(z.string()).optional(),
  steps: z.array(z.int()).optional(),
  countries: z.array(z.string()).optional(),
  users: z.array(z.string()).optional(),
  ...often,
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('late'), byMs: z.int().min(1).max(600_000) }),
    z.strictObject({ kind: z.literal('twice') }),
    z.strictObject({ kind: z.literal('never') }),
    /** Sends the opposite receipt afterwards, dated a millisecond earlier. */
    z.strictObject({ kind: z.literal('contradictory') }),
  ]),
});

export type ReceiptRule = z.infer<typeof receiptRule>;

/** Body of `POST /control`: all rules at once. Of each kind, the first rule that matches applies. */
export const faultRules = z.strictObject({
  calls: z.array(callRule).default([]),
  status: z.array(statusRule).default([]),
  segmentation: z.array(segmentationRule).default([]),
  receipts: z.array(receiptRule).default([]),
});

export type FaultRules = z.infer<typeof faultRules>;

/** Input form of the rules, without fields that have defaults. */
export type FaultSettings = z.input<typeof faultRules>;
