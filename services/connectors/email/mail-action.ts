import { createHash } from 'node:crypto';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refuse, type Action, type ActionAnswer, type UserAnswer } from '../actions/action.port.ts';
import { SourceError } from '../databases/source.port.ts';
import { connectorsMetrics } from '../report/metrics.ts';
import type { StoredResult } from '../store/result-store.port.ts';
import type { CallBook } from './call-book.port.ts';
import { composeMails, type Composed, type ComposeDeps } from './compose-mails.ts';
import { deliverMails, type Delivery, type DeliveryDeps } from './deliver-mails.ts';
import type { MailActionSettings } from './mail-settings.ts';
import type { MailReport, ReportQueue } from './reports.port.ts';

export interface MailActionDeps extends ComposeDeps, DeliveryDeps {
  calls: CallBook;
  reports: Pick<ReportQueue, 'add'>;
  meter: Meter;
  logger: Logger;
}

/**
 * Seconds after which Muster repeats a call. busy: another call is sending mails to these users. held: no mail of the
 * call was tried.
 */
const againAfterSeconds = { busy: 1, held: 5 };

/** Limit of users per call: a mail server accepts some hundred mails a second. Muster halves larger calls. */
const maxUsers = 250;

/**
 * Creates an e-mail action of contract class B. Within a run and step, a user's mail is begun only once, even in calls
 * with different keys. If its outcome is unknown, the answer leaves the user out.
 */
export function createMailAction(settings: MailActionSettings, deps: MailActionDeps): Action {
  const { results, calls, reports, logger } = deps;
  const { id: action, isSentAgain } = settings;
  const mails = deps.meter.counter(connectorsMetrics.mails);

  async function compose(request: BatchRequest, users: string[]): Promise<Map<string, Composed>> {
    return users.length === 0
      ? new Map<string, Composed>()
      : await composeMails(settings, { ...request.call, users }, deps);
  }

  /** Answers as a live call would if the server accepted all mails. Sends and stores nothing. */
  async function test(request: BatchRequest): Promise<ActionAnswer> {
    const composed = await compose(request, request.call.users);
    return answer([...composed].map(([id, each]) => (each.ok ? { id, status: 'succeeded' } : failedAnswer(id, each))));
  }

  async function live(request: BatchRequest): Promise<ActionAnswer> {
    const { call, key, body } = request;
    const mailCall = { action, key, digest: createHash('sha256').update(body).digest('base64') };
    const known = await calls.begin(mailCall, settings.keepSeconds);
    if (known.kind === 'other') return refuse(422, 'key-reused', 'the Idempotency-Key was used with another body');
    if (known.kind === 'answered') return answer(known.results);

    const scope = { action, run: call.run, step: call.step };
    const stored = await results.read(scope, call.users);
    const isOpen = (user: string) => isCallable(stored.get(user), isSentAgain);
    const composed = await compose(request, call.users.filter(isOpen));
    const delivered = await deliverMails(settings, scope, composed, deps);
    for (const delivery of delivered.values()) mails.of({ action, outcome: outcomeOf(delivery) }).add();
    await reports.add(suppressionsOf(delivered));

    const all = call.users.map((user) => [user, delivered.get(user) ?? deliveryOf(stored.get(user))] as const);
    const count = (kind: Delivery['kind']) => all.filter(([, delivery]) => delivery.kind === kind).length;
    if (count('busy') > 0)
      return refuse(409, 'in-progress', 'another call sends mails to these users', againAfterSeconds.busy);
    const [first] = delivered.values();
    if (first?.kind === 'held' && count('held') === call.users.length)
      return refuse(503, first.code, `actions.${action}: ${first.message}`, againAfterSeconds.held);
    const answers = all.flatMap(([user, delivery]) => answerOf(user, delivery));
    // A repeated call may send lost mails again, so the answer is not stored as final.
    if (!isSentAgain || count('lost') === 0) await calls.finish(mailCall, answers);
    log(request, count);
    return answer(answers);
  }

  function suppressionsOf(delivered: ReadonlyMap<string, Delivery>): MailReport[] {
    const list = settings.suppressionList;
    return [...delivered].flatMap(([user, delivery]): MailReport[] =>
      delivery.kind === 'final' && delivery.isBadMailbox
        ? [{ kind: 'suppression', list, user, note: 'hard bounce' }]
        : [],
    );
  }

  function log({ call }: BatchRequest, count: (kind: Delivery['kind']) => number): void {
    const counts = { lost: count('lost'), held: count('held'), deferred: count('deferred') };
    if (counts.lost + counts.held === 0) return;
    const { run, step, country, batch } = call;
    logger.warn({ action, run, step, country, batch, ...counts }, 'mails of a batch were not sent, or may have been');
  }

  return {
    apply: async (request) => {
      if (request.call.users.length > maxUsers)
        return refuse(413, 'too-many-users', `at most ${maxUsers} users a call, because each gets a mail of its own`);
      try {
        return await (request.mode === 'test' ? test(request) : live(request));
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        logger.warn({ action, kind: error.kind, cause: error.message }, 'the look-up of a batch failed');
        const cause = `actions.${action}.users: database "${settings.users.database}": ${error.message}`;
        if (error.kind === 'refused') return refuse(501, 'misconfigured', cause);
        return refuse(503, 'look-up-failed', cause, againAfterSeconds.held);
      }
    },
  };
}

function outcomeOf(delivery: Delivery): string {
  if (delivery.kind !== 'final') return delivery.kind;
  return delivery.result.state === 'succeeded' ? 'accepted' : 'failed';
}

function isCallable(stored: StoredResult | undefined, isSentAgain: boolean): boolean {
  return stored === undefined || (stored.state === 'unknown' && isSentAgain);
}

function deliveryOf(stored: StoredResult | undefined): Delivery {
  switch (stored?.state) {
    case 'succeeded':
    case 'failed':
      return { kind: 'final', result: stored };
    case 'unknown':
      return { kind: 'lost' };
    default:
      return { kind: 'busy' };
  }
}

/** Returns the answer for a user; none if the outcome is unknown. */
function answerOf(id: string, delivery: Delivery): UserAnswer[] {
  switch (delivery.kind) {
    case 'final': {
      const { result, message = '' } = delivery;
      return [result.state === 'succeeded' ? { id, status: 'succeeded' } : failedAnswer(id, { ...result, message })];
    }
    case 'deferred':
    case 'held':
      return [{ ...failedAnswer(id, delivery), retryable: true }];
    case 'lost':
    case 'busy':
      return [];
  }
}

function failedAnswer(id: string, { code, message }: { code: string; message: string }) {
  return { id, status: 'failed' as const, code, ...(message !== '' && { message }) };
}

function answer(results: UserAnswer[]): ActionAnswer {
  return { ok: true, value: { results }, isAccepted: true };
}
