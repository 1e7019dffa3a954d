import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../shared/ports/clock.ts';
import { failuresOf, faultOf, latencyOf, retriesOf, type ServiceName } from './wire/chance.ts';
import type { ServiceSettings } from './config.ts';
import type { BatchRequest, Refusal } from '../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectsAnswer, EffectStore } from './effects/effects.ts';
import { decidesAsRule, faultyAnswerOf, isApplied } from './faults/faulty-answer.ts';
import { faultyStatus } from './faults/faulty-status.ts';
import type { CallRule } from './faults/fault-rules.ts';
import type { FaultSwitches } from './faults/fault-switches.ts';
import type { HttpAnswer } from './wire/http-answer.ts';
import { createKeysInFlight } from './effects/keys-in-flight.ts';
import type { LedgerWriter } from './ledger/ledger-writer.ts';
import { parseBatchRequest, parseStatusQuery } from '../../shared/contracts/endpoints/read-batch-request.ts';
import type { AcceptedUsers } from './receipt-sender.ts';
import type { Segments } from './segments.ts';
import { emptyServiceStats, type ServiceStats } from './stats.ts';
import { writeAnswer } from './wire/write-answer.ts';

export interface BatchServiceDeps {
  name: ServiceName;
  salt: string;
  settings: ServiceSettings;
  /** Status of a successful response: 202 if `succeeded` only means that the user was accepted. */
  successStatus: 200 | 202;
  effects: EffectStore;
  faults: Pick<FaultSwitches, 'ruleForCall' | 'ruleForStatus'>;
  ledger: LedgerWriter;
  segments: Segments;
  /** Receives users that are accepted for the first time: receipts report their outcomes later. */
  onAccepted?: ((accepted: AcceptedUsers) => void) | undefined;
  clock: Clock;
}

export interface IncomingCall {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Calls back once, when the call is answered or the caller has disconnected. */
  onClosed: (listener: () => void) => void;
}

/** Reference batch endpoint: rewards, points, messages or checks, depending on its dependencies. */
export interface BatchService {
  readonly stats: Readonly<ServiceStats>;
  answer(call: IncomingCall): Promise<HttpAnswer>;
  /** Answers a status query about users; supported by class C only. */
  answerStatus(body: Buffer): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export function createBatchService(deps: BatchServiceDeps): BatchService {
  const { name, salt, settings, clock } = deps;
  const stats = emptyServiceStats();
  const plan = { salt, service: name, ...settings };
  const failureOf = failuresOf(plan);
  const keysInFlight = createKeysInFlight();

  async function answer({ headers, body, onClosed }: IncomingCall): Promise<HttpAnswer> {
    stats.calls++;
    const parsed = parseBatchRequest(headers, body);
    if (!parsed.ok) return refuse(parsed.refusal);
    const { request } = parsed;
    const { key } = request;
    const overlapping = keysInFlight.enter(key);
    onClosed(() => keysInFlight.leave(key));
    if (overlapping > 0) stats.overlapping++;

    const rule = deps.faults.ruleForCall(name, request, overlapping);
    return { ...(await answerTo(request, overlapping, rule)), interim: rule?.interim };
  }

  async function answerTo(request: BatchRequest, overlapping: number, rule: CallRule | undefined): Promise<HttpAnswer> {
    const { key, attempt } = request;
    const latencyMs = latencyOf(settings.latency, key, attempt) + (rule?.latencyMs ?? 0);
    if (rule?.answer && !isApplied(rule.answer)) {
      stats.faulty++;
      await pass(latencyMs);
      return faultyAnswerOf(rule.answer, deps.successStatus, '{}');
    }
    const chance = faultOf(plan, key, attempt);
    if (chance === 'busy') return refuse(busy);
    if (rule?.answer?.kind === 'hang') await pass(rule.answer.appliedAfterMs);

    // The effects come before the response, like in real services. If the caller gives up while it waits, the effects
    // have happened.
    const decide = rule?.answer ? decidesAsRule(rule, request, decisionsOf(request)) : decisionsOf(request);
    // A check has no effects, live or not.
    const hasNoEffects = request.mode === 'test' || name === 'checks';
    const outcome = hasNoEffects ? tested(request, decide) : await deps.effects.apply(request, decide);
    if (!outcome.ok) return refuse(outcome.refusal);
    if (!hasNoEffects) await record(request, outcome.effects, overlapping);
    await pass(latencyMs);

    if (rule?.answer) {
      stats.faulty++;
      return faultyAnswerOf(rule.answer, deps.successStatus, textOf(request, outcome.effects), request.call.users);
    }
    if (chance === undefined) return { status: deps.successStatus, body: textOf(request, outcome.effects) };
    stats.answersLost++;
    return chance === 'server-error' ? serverError : { ...serverError, delivery: { kind: 'reset' } };
  }

  async function answerStatus(body: Buffer): Promise<HttpAnswer> {
    const { effects } = deps;
    if (!effects.statusOf)
      return { status: 404, body: JSON.stringify({ code: 'no-status', message: 'not of class C' }) };
    const parsed = parseStatusQuery(body);
    if (!parsed.ok) return refuse(parsed.refusal);
    stats.statusQueries++;
    const rule = deps.faults.ruleForStatus(name, parsed.query);
    const step = rule?.answer?.kind === 'first-step' ? 1 : parsed.query.step;
    const outcomes = effects.statusOf({ ...parsed.query, step });
    await pass(rule?.latencyMs ?? 0);
    return { ...faultyStatus(outcomes, parsed.query, rule?.answer), interim: rule?.interim };
  }

  async function pass(latencyMs: number): Promise<void> {
    if (latencyMs > 0) await clock.sleep(latencyMs);
  }

  function textOf({ call }: BatchRequest, { failures }: Effects): string {
    return writeAnswer(settings.form, call.users, failures);
  }

  function decisionsOf({ key }: BatchRequest): Decide {
    const comesAgain = retriesOf(plan, key);
    return (user) => {
      if (comesAgain(user)) return { id: user, code: 'try-later', retryable: true };
      const code = failureOf(user);
      return code === undefined ? undefined : { id: user, code, retryable: false };
    };
  }

  /** Answers a test, without storing anything. A repeat yields the same answer. */
  function tested({ call: { users } }: BatchRequest, decide: Decide): EffectsAnswer {
    stats.tested += users.length;
    const failures = users.flatMap((user) => decide(user) ?? []);
    return { ok: true, effects: { failures, applied: [], failedNow: [], repeated: 0 } };
  }

  async function record({ key, attempt, call }: BatchRequest, effects: Effects, overlapping: number): Promise<void> {
    const { run, step, country, users } = call;
    const { applied, repeated, failedNow: failed } = effects;
    stats.users += users.length;
    stats.applied += applied.length;
    stats.failed += failed.length;
    stats.repeatsSuppressed += repeated;
    stats.unexpected += users.reduce((sum, user) => sum + (deps.segments.isKnown(country, user) ? 0 : 1), 0);
    const at = clock.now().toISOString();
    const line = { service: name, run, step, country, key, attempt, at, applied, repeated, failed };
    await deps.ledger.append(overlapping === 0 ? line : { ...line, overlapping });
    if (applied.length > 0) deps.onAccepted?.({ idempotencyKey: key, run, step, country, users: applied });
  }

  function refuse({ status, code, message, retryAfterSeconds }: Refusal): HttpAnswer {
    if (status === 503) stats.busy++;
    else stats.refused++;
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return { status, headers, body: JSON.stringify({ code, message }) };
  }

  return { stats, answer, answerStatus, close: () => deps.effects.close() };
}

const busy: Refusal = { status: 503, code: 'busy', message: 'nothing was applied, come again', retryAfterSeconds: 1 };

const serverError: HttpAnswer = { status: 500, body: JSON.stringify({ code: 'server-error', message: 'a fault' }) };
