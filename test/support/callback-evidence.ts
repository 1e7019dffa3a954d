/**
 * Three independent records of callbacks: the database, the receiver's ledger, and what the test itself asked for.
 * Times in ms of the epoch.
 */
export interface CallbackEvidence {
  /** Accepted jobs according to the answers, by id (`job_…`). Jobs of schedules are not included. */
  accepted: ReadonlyMap<string, RequestedJob>;
  /** Jobs that have not ended. */
  stored: readonly string[];
  ended: readonly EndedRow[];
  /** Calls that were retried, as the engine recorded them. Without a status, the engine got no answer. */
  attempts: readonly { jobId: string; status: number | null; error: string | null }[];
  totals: Readonly<Record<Outcome | 'accepted', number>>;
  /** Changes of `job_claims`, written by a trigger of the test, in order for each job. */
  claims: readonly ClaimEvent[];
  calls: readonly ReceivedCall[];
  /** Instants that must have fired, once for each group. */
  occurrences?: readonly Occurrence[];
}

export type Outcome = 'called' | 'expired' | 'cancelled' | 'dead';

export interface RequestedJob {
  /** Earliest time of a call. */
  dueAtMs: number;
  /** SHA-256 of its body, in hex. */
  digest: string;
}

export interface EndedRow {
  jobId: string;
  outcome: Outcome;
}

export interface ClaimEvent {
  jobId: string;
  /** `taken-over`: claimed again after the end of its lease. `gone`: ended, moved or released. */
  kind: 'claimed' | 'taken-over' | 'gone';
  /** Process that holds the claim, or held it. */
  owner: string;
  atMs: number;
  dueAtMs: number;
  epoch: number;
  leaseUntilMs: number;
  /** For a claim that was taken over: the time until which other processes considered the previous owner alive. */
  ownerAliveUntilMs?: number;
}

export interface ReceivedCall {
  jobId: string;
  atMs: number;
  /** Time of the answer, or of the end of the connection by the caller; null if the receiver ended before. */
  endedAtMs: number | null;
  /** Status of the answer; null without an answer. */
  status: number | null;
  /** True if the connection had carried an answer before. */
  isKept: boolean;
  digest: string;
  /** Reason why the signature is invalid; null if it is valid. */
  problem: string | null;
  occurrence: Occurrence | null;
}

export interface Occurrence {
  scheduleId: string;
  group: string;
  scheduledFor: string;
}

export interface CallbackAllowance {
  /**
   * Number of calls of jobs that the receiver had already answered with success. Only calls that were open at a fault
   * may be repeated.
   */
  doubled: number;
  /** Number of successful answers that arrived too late, by the engine's own record. The engine has to call again. */
  unheard: number;
  /** Number of concurrent calls of one job. Only a call of a frozen process may overlap. */
  overlapping: number;
  /** Jobs that have not ended. */
  open: number;
  /** Number of dead or expired jobs, if the scenario causes them. */
  dead: number;
  expired: number;
}

/**
 * Tolerance for a moment that two processes observe: the database may delete a claim before the receiver notices the
 * end of the connection.
 */
const sameMomentMs = 1000;

/** Returns the broken promises of callbacks, in words; each line begins with the promise. */
export function callbackViolations(evidence: CallbackEvidence, allowed: Partial<CallbackAllowance> = {}): string[] {
  const allow = { doubled: 0, unheard: 0, overlapping: 0, open: 0, dead: 0, expired: 0, ...allowed };
  const calls = Map.groupBy(
    evidence.calls.toSorted((a, b) => a.atMs - b.atMs),
    ({ jobId }) => jobId,
  );
  const claims = Map.groupBy(evidence.claims, ({ jobId }) => jobId);
  const doubled = doubledCalls(evidence);
  const unheard = unheardAnswers(evidence);
  const overlapping = overlappingCalls(evidence);
  return [
    ...endsOf(evidence, allow.open),
    ...(['dead', 'expired'] as const).flatMap((outcome) => {
      const count = evidence.ended.filter((row) => row.outcome === outcome).length;
      return count > allow[outcome] ? [`S1: ${count} jobs are ${outcome}, ${allow[outcome]} allowed`] : [];
    }),
    ...balanceOf(evidence),
    ...[...calls].flatMap(([jobId, received]) => wrongCalls(jobId, received, evidence)),
    ...outcomesThatDiffer(evidence, calls),
    ...occurrencesThatDiffer(evidence),
    ...[...claims].flatMap(([jobId, events]) => wrongClaims(jobId, events)),
    ...[...calls].flatMap(([jobId, received]) => callsWithoutClaim(jobId, received, claims.get(jobId) ?? [])),
    ...[...claims].flatMap(([jobId, events]) => endsDuringCalls(jobId, events, calls.get(jobId) ?? [])),
    ...(doubled > allow.doubled ? [`S4: ${doubled} calls after a success, ${allow.doubled} allowed`] : []),
    ...(unheard.length > allow.unheard ? [`S4: ${unheard.length} answers not heard: ${unheard[0] ?? ''}`] : []),
    ...(overlapping > allow.overlapping ? [`S4: ${overlapping} calls at once, ${allow.overlapping} allowed`] : []),
  ];
}

/**
 * Returns the number of calls of jobs that the receiver had already answered with 2xx, without calls after an answer
 * that reached the engine too late.
 */
export function doubledCalls(evidence: Pick<CallbackEvidence, 'calls' | 'attempts'>): number {
  const fits = (before: ReceivedCall, call: ReceivedCall) =>
    isSuccess(before) && (before.endedAtMs ?? Infinity) <= call.atMs;
  return Math.max(0, countPairs(evidence.calls, fits) - unheardAnswers(evidence).length);
}

/** Returns a reason for each successful answer that arrived too late for the engine before another call. */
export function unheardAnswers({ calls, attempts }: Pick<CallbackEvidence, 'calls' | 'attempts'>): string[] {
  const received = Map.groupBy(calls, ({ jobId }) => jobId);
  const unanswered = attempts.filter(({ status }) => status === null);
  return [...Map.groupBy(unanswered, ({ jobId }) => jobId)].flatMap(([jobId, tries]) => {
    const sorted = (received.get(jobId) ?? []).toSorted((a, b) => a.atMs - b.atMs);
    const answeredBeforeAnother = sorted.slice(0, -1).filter(isSuccess).length;
    return tries.slice(0, answeredBeforeAnother).map(({ error }) => error ?? 'without a cause');
  });
}

/**
 * Returns the number of overlapping calls of jobs whose answers all arrived in time. A dispatcher does not wait longer
 * for an answer.
 */
function overlappingCalls({ calls, attempts }: Pick<CallbackEvidence, 'calls' | 'attempts'>): number {
  const late = new Set(attempts.flatMap(({ jobId, status }) => (status === null ? [jobId] : [])));
  const receipt = calls.filter(({ jobId }) => !late.has(jobId));
  return countPairs(receipt, (before, call) => (before.endedAtMs ?? Infinity) > call.atMs);
}

/** Counts calls for which an earlier call of their job fits. */
function countPairs(calls: readonly ReceivedCall[], fits: (before: ReceivedCall, call: ReceivedCall) => boolean) {
  let count = 0;
  for (const received of Map.groupBy(calls, ({ jobId }) => jobId).values()) {
    const sorted = received.toSorted((a, b) => a.atMs - b.atMs);
    count += sorted.filter((call, index) => sorted.slice(0, index).some((before) => fits(before, call))).length;
  }
  return count;
}

function isSuccess({ status }: ReceivedCall): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** S1: returns accepted jobs that are neither stored nor ended once. */
function endsOf({ accepted, stored, ended }: CallbackEvidence, open: number): string[] {
  const ends = Map.groupBy(ended, ({ jobId }) => jobId);
  const isStored = new Set(stored);
  const found = [...ends]
    .filter(([, rows]) => rows.length > 1)
    .map(([jobId, rows]) => `S1: ${jobId} has ended ${rows.length} times`);
  for (const jobId of accepted.keys()) {
    if (!isStored.has(jobId) && !ends.has(jobId)) found.push(`S1: ${jobId} was accepted and is nowhere`);
  }
  for (const jobId of stored) if (ends.has(jobId)) found.push(`S1: ${jobId} has ended and is stored`);
  if (stored.length > open) found.push(`S1: ${stored.length} jobs have not ended, ${open} allowed`);
  return found;
}

/**
 * S1: returns differences in the balance: accepted = called + expired + cancelled + dead + stored, and each figure
 * equals its rows.
 */
function balanceOf({ totals, stored, ended, accepted }: CallbackEvidence): string[] {
  const { accepted: taken, ...outcomes } = totals;
  const sum = Object.values(outcomes).reduce((all, count) => all + count, stored.length);
  const found = sum === taken ? [] : [`S1: ${taken} accepted, ${sum} ended or stored by the ledger`];
  for (const [outcome, count] of Object.entries(outcomes)) {
    const rows = ended.filter((row) => row.outcome === outcome).length;
    if (rows !== count) found.push(`S1: the ledger says ${count} ${outcome}, there are ${rows}`);
  }
  if (taken < accepted.size) found.push(`S1: ${accepted.size} were answered for, the ledger says ${taken} accepted`);
  return found;
}

function wrongCalls(jobId: string, received: readonly ReceivedCall[], { accepted }: CallbackEvidence): string[] {
  const requested = accepted.get(jobId);
  return received.flatMap(({ atMs, digest, problem }) => [
    ...(problem === null ? [] : [`S3: a call of ${jobId} is not to be believed: ${problem}`]),
    ...(requested && atMs < requested.dueAtMs
      ? [`S2: ${jobId} was called ${requested.dueAtMs - atMs} ms before its time`]
      : []),
    ...(requested && digest !== requested.digest ? [`S3: a call of ${jobId} has another body`] : []),
  ]);
}

/**
 * S1: returns jobs whose recorded outcome differs from the calls: jobs recorded as called were called, and successful
 * calls are recorded.
 */
function outcomesThatDiffer({ ended }: CallbackEvidence, calls: ReadonlyMap<string, readonly ReceivedCall[]>) {
  return ended.flatMap(({ jobId, outcome }) => {
    const succeeded = (calls.get(jobId) ?? []).some(isSuccess);
    if (outcome === 'called' && !succeeded)
      return [`S1: ${jobId} is recorded as called, and the receiver knows nothing`];
    return outcome !== 'called' && succeeded ? [`S1: ${jobId} is ${outcome}, and the receiver had answered well`] : [];
  });
}

/** S3: returns (schedule, group, instant) without exactly one job. */
function occurrencesThatDiffer({ occurrences, calls }: CallbackEvidence): string[] {
  const fired = new Map<string, Set<string>>();
  for (const { jobId, occurrence } of calls) {
    if (!occurrence) continue;
    const key = occurrenceKey(occurrence);
    fired.set(key, (fired.get(key) ?? new Set()).add(jobId));
  }
  const found = [...fired]
    .filter(([, jobs]) => jobs.size > 1)
    .map(([key, jobs]) => `S3: ${key} fired ${jobs.size} times`);
  if (!occurrences) return found;
  const expected = new Set(occurrences.map(occurrenceKey));
  found.push(...[...expected].filter((key) => !fired.has(key)).map((key) => `S3: ${key} was never called`));
  found.push(...[...fired.keys()].filter((key) => !expected.has(key)).map((key) => `S3: ${key} was to nobody’s wish`));
  return found;
}

function occurrenceKey({ scheduleId, group, scheduledFor }: Occurrence): string {
  return `${scheduleId} ${group === '' ? '–' : group} ${scheduledFor}`;
}

/**
 * S4: returns wrong claims. A claim belongs to one process until it is gone or its lease has ended, and epochs of a job
 * only grow.
 */
function wrongClaims(jobId: string, events: readonly ClaimEvent[]): string[] {
  const found: string[] = [];
  let open: ClaimEvent | undefined;
  for (const event of events) {
    if (event.kind === 'claimed' && open) found.push(`S4: ${jobId} was claimed while a claim of it was open`);
    const heldUntilMs = Math.min(open?.leaseUntilMs ?? 0, event.ownerAliveUntilMs ?? Infinity);
    if (event.kind === 'taken-over' && event.atMs < heldUntilMs) {
      found.push(`S4: ${jobId} was claimed ${heldUntilMs - event.atMs} ms before the lease of another was over`);
    }
    if (event.kind === 'taken-over' && open && event.epoch <= open.epoch) {
      found.push(`S4: ${jobId} was claimed again under epoch ${event.epoch}`);
    }
    open = event.kind === 'gone' ? undefined : event;
  }
  return found;
}

/**
 * S4: returns calls without a claim. A claim permits one call before its lease ends. A call that ends with a kept
 * connection, without an answer, is sent once more under the same claim.
 */
function callsWithoutClaim(jobId: string, received: readonly ReceivedCall[], events: readonly ClaimEvent[]): string[] {
  const claims = events.filter(({ kind }) => kind !== 'gone');
  return received.flatMap(({ atMs }, index) => {
    const before = claims.filter((claim) => claim.atMs <= atMs);
    const leaseUntilMs = before.at(-1)?.leaseUntilMs ?? Infinity;
    const lost = received.slice(0, index).filter(({ isKept, status }) => isKept && status === null).length;
    return [
      ...(before.length + Math.min(before.length, lost) > index
        ? []
        : [`S4: call ${index + 1} of ${jobId} under ${before.length} claims`]),
      ...(atMs <= leaseUntilMs ? [] : [`S4: ${jobId} was called ${atMs - leaseUntilMs} ms after its lease was over`]),
    ];
  });
}

/** S4: returns jobs that another process ended during a call. Only the caller ends a job that is being called. */
function endsDuringCalls(jobId: string, events: readonly ClaimEvent[], received: readonly ReceivedCall[]): string[] {
  return events.flatMap((event, index) => {
    if (event.kind !== 'gone') return [];
    const claim = events.slice(0, index).findLast(({ kind }) => kind !== 'gone');
    const isUnderWay = ({ atMs, endedAtMs }: ReceivedCall) =>
      atMs >= (claim?.atMs ?? 0) && atMs < event.atMs && (endedAtMs ?? Infinity) > event.atMs + sameMomentMs;
    return received.some(isUnderWay) ? [`S4: ${jobId} was ended by somebody while it was being called`] : [];
  });
}
