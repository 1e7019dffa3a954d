import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refuse, type Action, type ActionAnswer, type UserAnswer } from '../actions/action.port.ts';
import { SourceError, type Attributes, type Source } from '../databases/source.port.ts';
import { connectorsMetrics } from '../report/metrics.ts';
import type { ResultScope } from '../store/result-store.port.ts';
import { callUsers, type CallRoundDeps, type Outcome, type Stop } from './call-round.ts';
import type { CallActionSettings } from './call-settings.ts';
import { MissingValueError, type CallValues, type UserValues } from './call-template.ts';
import { renderCall, userKeyOf } from './render-call.ts';
import { createSlots } from './slots.ts';

export interface CallActionDeps extends Omit<CallRoundDeps, 'slots'> {
  /** Database of the look-up query; undefined if the action has none. */
  source: Source | undefined;
  meter: Meter;
  logger: Logger;
}

/** Poll interval in milliseconds for users that another request is calling. */
const pollMs = 100;

/**
 * Creates an action that sends requests to an API. Its contract class is A: the result of each user is stored by (run,
 * step, user). If a user's request had no answer, the user is called again only if the API recognizes repeats.
 * Otherwise the answer leaves the user out.
 */
export function createCallAction(settings: CallActionSettings, deps: CallActionDeps): Action {
  const { store, clock, source, meter, logger } = deps;
  const slots = createSlots(settings.concurrency);
  const called = meter.counter(connectorsMetrics.calledUsers);

  async function apply(request: BatchRequest): Promise<ActionAnswer> {
    const { run, step, users } = request.call;
    const endsAtMs = clock.monotonicMs() + settings.workMs;
    const scope = { action: settings.id, run, step };
    const known = request.mode === 'test' ? new Map<string, Outcome>() : await store.read(scope, users);
    const { ready, failures } = await prepare(
      request,
      scope,
      users.filter((user) => isToCall(known.get(user))),
    );
    if (request.mode === 'test') return answerOf(users, testedOutcomes(users, failures), undefined);

    const outcomes = new Map<string, Outcome>(known);
    for (const [user, outcome] of await storeFailures(scope, failures)) outcomes.set(user, outcome);
    const round = await callUsers(ready, { settings, scope, values: valuesOf(request), endsAtMs }, { ...deps, slots });
    for (const [user, outcome] of round.outcomes) {
      // If an earlier request had no answer, this one does not show if the earlier one was applied. So the user stays
      // unknown.
      if (outcome.state === 'retryable' && known.get(user)?.state === 'unknown') continue;
      outcomes.set(user, outcome);
      if (outcome.state !== 'begun') called.of({ action: settings.id, outcome: outcome.state }).add();
    }
    await awaitOthers(scope, outcomes, endsAtMs);
    if (round.stop) {
      const { cause, isMisconfigured } = round.stop;
      logger.warn({ action: settings.id, run, step, cause, isMisconfigured }, 'users of a batch were not called');
    }
    return answerOf(users, outcomes, round.stop);
  }

  function isToCall(outcome: Outcome | undefined): boolean {
    return outcome === undefined || (outcome.state === 'unknown' && settings.recognizesRepeats);
  }

  /**
   * Looks up the users' attributes, and renders their requests once, so that a missing value is found before any call.
   */
  async function prepare(request: BatchRequest, scope: ResultScope, users: readonly string[]): Promise<Prepared> {
    const found = await attributesOf(users);
    const ready: UserValues[] = [];
    const failures = new Map<string, string>();
    for (const user of users) {
      const attributes = found ? found.get(user) : {};
      if (!attributes) {
        failures.set(user, settings.missingCode);
        continue;
      }
      const values = { user, key: userKeyOf(scope, user), attributes };
      try {
        renderCall(settings, valuesOf(request), [values]);
        ready.push(values);
      } catch (error) {
        if (!(error instanceof MissingValueError) || !error.missing.startsWith('attributes.')) throw error;
        failures.set(user, 'missing-attribute');
      }
    }
    return { ready, failures };
  }

  async function attributesOf(users: readonly string[]): Promise<ReadonlyMap<string, Attributes> | undefined> {
    if (!settings.lookup || !source || users.length === 0) return undefined;
    return await source.attributes(settings.lookup.query, users);
  }

  async function storeFailures(
    scope: ResultScope,
    failures: ReadonlyMap<string, string>,
  ): Promise<Map<string, Outcome>> {
    if (failures.size === 0) return new Map();
    const claim = await store.claim(scope, [...failures.keys()], {
      leaseMs: settings.timeoutMs,
      keepSeconds: settings.keepSeconds,
      isRepeatable: settings.recognizesRepeats,
    });
    const results = new Map([...failures].map(([user, code]) => [user, { state: 'failed' as const, code }]));
    await store.finish(claim, results);
    return new Map([...results].map(([user, result]) => [user, claim.users.has(user) ? result : { state: 'begun' }]));
  }

  /** Waits for users that another request is calling, such as a request whose connection was lost. */
  async function awaitOthers(scope: ResultScope, outcomes: Map<string, Outcome>, endsAtMs: number): Promise<void> {
    for (;;) {
      const begun = [...outcomes].flatMap(([user, { state }]) => (state === 'begun' ? [user] : []));
      if (begun.length === 0 || clock.monotonicMs() >= endsAtMs) return;
      await clock.sleep(pollMs);
      const stored = await store.read(scope, begun);
      for (const user of begun) {
        const found = stored.get(user);
        if (found) outcomes.set(user, found);
        else outcomes.delete(user);
      }
    }
  }

  function answerOf(
    users: readonly string[],
    outcomes: ReadonlyMap<string, Outcome>,
    stop: Stop | undefined,
  ): ActionAnswer {
    const results = users.flatMap((user) => answersOf(user, outcomes.get(user)));
    const isKnown = [...outcomes.values()].some(({ state }) => state !== 'begun' && state !== 'unknown');
    const isOver = users.every((user) => outcomes.get(user)?.state === 'unknown');
    if (isKnown || isOver) return { ok: true, value: { results } };
    const cause = `actions.${settings.id}: ${stop?.cause ?? 'no user could be called in the time of the batch'}`;
    if (stop?.isMisconfigured) return refuse(501, 'misconfigured', cause);
    return refuse(503, 'not-yet', cause, Math.max(1, Math.ceil((stop?.retryAfterMs ?? 0) / 1000)));
  }

  return {
    apply: async (request) => {
      try {
        return await apply(request);
      } catch (error) {
        const refusal = refusalOf(settings, error);
        if (!refusal) throw error;
        const { run, step, country, batch } = request.call;
        logger.warn({ action: settings.id, run, step, country, batch, err: error }, 'batch not applied');
        return refusal;
      }
    },
  };
}

interface Prepared {
  ready: UserValues[];
  /** Error codes of users that cannot be called. */
  failures: ReadonlyMap<string, string>;
}

function valuesOf({ call }: BatchRequest): CallValues {
  const { campaign, run, step, country, action } = call;
  return { campaign, run, step, country, params: action.params };
}

/** Returns the outcomes of a test, in which nothing is called and nothing is stored. */
function testedOutcomes(users: readonly string[], failures: ReadonlyMap<string, string>): Map<string, Outcome> {
  return new Map(
    users.map((user) => {
      const code = failures.get(user);
      return [user, code === undefined ? { state: 'succeeded' } : { state: 'failed', code }];
    }),
  );
}

/**
 * Returns the answer for a user. Without an outcome, the user was not called. A user whose outcome is unknown has no
 * answer.
 */
function answersOf(id: string, outcome: Outcome | undefined): UserAnswer[] {
  if (outcome === undefined) return [{ id, status: 'failed', code: 'not-called', retryable: true }];
  switch (outcome.state) {
    case 'succeeded':
      return [{ id, status: 'succeeded' }];
    case 'failed':
      return [{ id, status: 'failed', code: outcome.code }];
    case 'retryable':
      return [{ id, status: 'failed', code: outcome.code, retryable: true }];
    case 'begun':
    case 'unknown':
      return [];
  }
}

/**
 * Returns the refusal for an error of the configuration, the parameters or the database; undefined for any other error.
 */
function refusalOf({ id }: CallActionSettings, error: unknown): ActionAnswer | undefined {
  if (error instanceof MissingValueError) {
    const message = `actions.${id}.call has {{${error.missing}}}, which the campaign does not set`;
    return refuse(422, 'missing-parameter', message);
  }
  if (!(error instanceof SourceError)) return undefined;
  const cause = `actions.${id}.users: ${error.message}`;
  return error.kind === 'refused' ? refuse(501, 'misconfigured', cause) : refuse(503, 'not-applied', cause, 1);
}
