import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../shared/ports/clock.ts';
import { failuresOf, faultOf, latencyOf, retriesOf, type ServiceName } from './chance.ts';
import type { ServiceSettings } from './config.ts';
import type { BatchRequest, Decide, Effects, EffectStore, Refusal } from './effects.ts';
import type { HttpAnswer } from './http-answer.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import { parseBatchRequest } from './parse-batch-request.ts';
import type { Segments } from './segments.ts';
import { emptyServiceStats, type ServiceStats } from './stats.ts';
import { writeAnswer } from './write-answer.ts';

export interface BatchServiceDeps {
  name: ServiceName;
  salt: string;
  settings: ServiceSettings;
  /** 202 where `succeeded` only means accepted. */
  successStatus: 200 | 202;
  effects: EffectStore;
  ledger: LedgerWriter;
  segments: Segments;
  clock: Clock;
}

/** A reference batch endpoint: rewards, points or messages, depending on what it is made of. */
export interface BatchService {
  readonly stats: Readonly<ServiceStats>;
  /** Undefined: the connection is to be cut without an answer. */
  answer(headers: IncomingHttpHeaders, body: Buffer): Promise<HttpAnswer | undefined>;
  close(): Promise<void>;
}

export function createBatchService(deps: BatchServiceDeps): BatchService {
  const { name, salt, settings, clock } = deps;
  const stats = emptyServiceStats();
  const plan = { salt, service: name, ...settings };
  const failureOf = failuresOf(plan);

  async function answer(headers: IncomingHttpHeaders, body: Buffer): Promise<HttpAnswer | undefined> {
    stats.calls++;
    const parsed = parseBatchRequest(headers, body);
    if (!parsed.ok) return refuse(parsed.refusal);
    const { request } = parsed;
    const { key, attempt, call } = request;

    const fault = faultOf(plan, key, attempt);
    if (fault === 'busy') return refuse(busy);

    // Applied first and answered late: a caller that gives up meanwhile has had its effects all the same, as in the world.
    const outcome = await deps.effects.apply(request, decisionsOf(request));
    if (!outcome.ok) return refuse(outcome.refusal);
    await record(request, outcome.effects);
    const latencyMs = latencyOf(settings.latency, key, attempt);
    if (latencyMs > 0) await clock.sleep(latencyMs);

    if (fault === undefined) {
      return { status: deps.successStatus, body: writeAnswer(settings.form, call.users, outcome.effects.failures) };
    }
    stats.answersLost++;
    return fault === 'server-error' ? serverError : undefined;
  }

  function decisionsOf({ key }: BatchRequest): Decide {
    const comesAgain = retriesOf(plan, key);
    return (user) => {
      if (comesAgain(user)) return { id: user, code: 'try-later', retryable: true };
      const code = failureOf(user);
      return code === undefined ? undefined : { id: user, code, retryable: false };
    };
  }

  async function record({ key, attempt, call }: BatchRequest, effects: Effects): Promise<void> {
    const { run, step, country, users } = call;
    const { applied, repeated, failedNow } = effects;
    stats.users += users.length;
    stats.applied += applied.length;
    stats.failed += failedNow.length;
    stats.repeatsSuppressed += repeated;
    stats.unexpected += users.reduce((sum, user) => sum + (deps.segments.isKnown(country, user) ? 0 : 1), 0);
    const at = clock.now().toISOString();
    await deps.ledger.append({
      service: name,
      run,
      step,
      country,
      key,
      attempt,
      at,
      applied,
      repeated,
      failed: failedNow,
    });
  }

  function refuse({ status, code, message, retryAfterSeconds }: Refusal): HttpAnswer {
    if (status === 503) stats.busy++;
    else stats.refused++;
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return { status, headers, body: JSON.stringify({ code, message }) };
  }

  return { stats, answer, close: () => deps.effects.close() };
}

const busy: Refusal = { status: 503, code: 'busy', message: 'nothing was applied, come again', retryAfterSeconds: 1 };

const serverError: HttpAnswer = { status: 500, body: JSON.stringify({ code: 'server-error', message: 'a fault' }) };
