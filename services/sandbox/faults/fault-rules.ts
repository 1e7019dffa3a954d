import { z } from 'zod';

/** How often a rule that matches is carried out; without any of these, always. */
const often = {
  /** So many matches pass first. */
  after: z.int().min(1).optional(),
  /** Every nth match. */
  every: z.int().min(1).optional(),
  /** A share of the matches, 0 to 1, chosen by a hash of the key and the attempt. */
  share: z.number().min(0).max(1).optional(),
  /** The first so many matches; those that `every` and `share` pass over do not count. */
  times: z.int().min(1).optional(),
};

/** Milliseconds that pass before the answer. */
const latencyMs = z.int().min(0).max(600_000).optional();

/** Interim answers that are sent right before the answer, in this order. */
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
 * What comes instead of the service's answer. `applied` says whether the effects happen all the same; a status says by
 * default that they do not, everything else that they do.
 */
export const faultyAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(300).max(599),
    retryAfterSeconds: z.int().min(0).optional(),
    code: z.string().optional(),
    applied: z.boolean().default(false),
  }),
  /** Nothing until the caller hangs up. Applied so long after it came: a proxy, or a row's lock, has held it back. */
  z.strictObject({ kind: z.literal('hang'), applied, appliedAfterMs: z.int().min(0).max(600_000).default(0) }),
  z.strictObject({ kind: z.literal('reset'), applied }),
  z.strictObject({ kind: z.literal('half-body'), applied }),
  /** 200 with a body that is no JSON. */
  z.strictObject({ kind: z.literal('garbage'), applied }),
  /** 200 with so many bytes of blanks. */
  z.strictObject({ kind: z.literal('oversize'), bytes: z.int().min(1), applied }),
  /** The right answer, byte by byte. */
  z.strictObject({ kind: z.literal('drip'), everyMs: z.int().min(1), applied }),
  /** Compact form: one succeeded more than were asked for. */
  z.strictObject({ kind: z.literal('wrong-count'), applied }),
  /** The answer has these users too, who were not asked for. */
  z.strictObject({ kind: z.literal('add-users'), users: z.array(z.string()).min(1) }),
  /** The answer says so of these users (those named, or a share of all, or all), whatever is true. */
  z.strictObject({ kind: z.literal('tell-users'), ...pickedUsers, status: z.string(), code: z.string().optional() }),
  /** Ids come back percent-encoded. */
  z.strictObject({ kind: z.literal('mangle-ids') }),
  /** Packed, though the request did not ask for that. */
  z.strictObject({ kind: z.literal('compressed') }),
  /** The answer is silent about these users (those named, or a share of all); they were served. */
  z.strictObject({
    kind: z.literal('omit-users'),
    ...pickedUsers,
  }),
  /** These users fail. */
  z.strictObject({
    kind: z.literal('fail-users'),
    ...pickedUsers,
    code: z.string(),
    retryable: z.boolean().default(false),
  }),
]);

export type FaultyAnswer = z.infer<typeof faultyAnswer>;

/** A fault of the batch services: which calls it meets, how often, and what becomes of them. */
export const callRule = z.strictObject({
  /** Under this name its hits are counted. */
  name: z.string().min(1),
  services: z.array(z.enum(['rewards', 'points', 'messages', 'checks'])).optional(),
  countries: z.array(z.string()).optional(),
  campaigns: z.array(z.string()).optional(),
  runs: z.array(z.string()).optional(),
  steps: z.array(z.int()).optional(),
  /** Parameters that the action has to have, at least these. */
  params: z.record(z.string(), z.json()).optional(),
  /** Calls that ask for at least one of these users. */
  users: z.array(z.string()).optional(),
  /** Calls that ask for more users than this. */
  moreUsersThan: z.int().min(1).optional(),
  /** Calls of batches as they were fed: users that are tried again pass. */
  firstTries: z.literal(true).optional(),
  /** Calls with a user id that holds more than letters, digits and hyphens. */
  oddIds: z.literal(true).optional(),
  /** Calls whose body has a field that the contract does not name. */
  unknownFields: z.literal(true).optional(),
  /** Calls that come while another one of their key is being answered. */
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
  /** Queries that ask for at least one of these users. */
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
      /** Whatever step is asked for, it answers for the first. */
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

/** A fault of the segmentation service. */
export const segmentationRule = z.strictObject({
  name: z.string().min(1),
  segments: z.array(z.string()).optional(),
  countries: z.array(z.string()).optional(),
  of: z.enum(['descriptions', 'pages']).optional(),
  /** Pages that do not begin the segment. */
  notFirst: z.boolean().optional(),
  ...often,
  latencyMs,
  interim,
  answer: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('status'), status: z.int().min(300).max(599) }),
      z.strictObject({ kind: z.literal('hang') }),
      /** The page's first two users change places. */
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
  /** Of these users. */
  users: z.array(z.string()).optional(),
  ...often,
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('late'), byMs: z.int().min(1).max(600_000) }),
    z.strictObject({ kind: z.literal('twice') }),
    z.strictObject({ kind: z.literal('never') }),
    /** The opposite comes too, afterwards, and is older by a millisecond. */
    z.strictObject({ kind: z.literal('contradictory') }),
  ]),
});

export type ReceiptRule = z.infer<typeof receiptRule>;

/** What `POST /control` takes: all rules at once. Of those that match, the first is carried out. */
export const faultRules = z.strictObject({
  calls: z.array(callRule).default([]),
  status: z.array(statusRule).default([]),
  segmentation: z.array(segmentationRule).default([]),
  receipts: z.array(receiptRule).default([]),
});

export type FaultRules = z.infer<typeof faultRules>;

/** The same as a caller writes it, what has a default left out. */
export type FaultSettings = z.input<typeof faultRules>;
