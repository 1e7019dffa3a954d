import pLimit from 'p-limit';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { FinalResult, ResultClaim, ResultScope, ResultStore } from '../store/result-store.port.ts';
import { isOfMailbox, statusIn } from './bounces/mail-event.ts';
import type { Composed } from './compose-mails.ts';
import type { DomainGate } from './domain-gate.ts';
import type { MailActionSettings } from './mail-settings.ts';
import type { MailSender, SendOutcome } from './smtp/mail-sender.ts';

/**
 * Outcome of a user's mail in one call.
 * - `final`: the result is stored and does not change.
 * - `deferred`: the server refuses the mail temporarily.
 * - `held`: the mail was not tried, for a reason that does not concern the user.
 * - `lost`: the mail may have been accepted.
 * - `busy`: another call is sending the mail.
 */
export type Delivery =
  | { kind: 'final'; result: FinalResult; message?: string; isBadMailbox?: true }
  | { kind: 'deferred' | 'held'; code: string; message: string }
  | { kind: 'lost' }
  | { kind: 'busy' };

export interface DeliveryDeps {
  results: ResultStore;
  sender: MailSender;
  gate: DomainGate;
  clock: Clock;
}

/** Groups of mails that one call sends concurrently. While one group waits for a slow server, the other continues. */
const maxLanes = 2;
/** Milliseconds for storing results, in addition to the time limit of a mail. */
const storingMs = 15_000;

/** Maximum difference in milliseconds between the send times of mails in one group. */
const together = 100;

interface Planned {
  user: string;
  composed: Composed;
  waitMs: number;
}

/**
 * Sends the mails in groups, with two statements for each group. A group is claimed before its first mail is sent. So
 * if a process is killed, only the mails of at most two groups per call may or may not have been sent.
 */
export async function deliverMails(
  settings: MailActionSettings,
  scope: ResultScope,
  composed: ReadonlyMap<string, Composed>,
  { results, sender, gate, clock }: DeliveryDeps,
): Promise<Map<string, Delivery>> {
  const beganMs = clock.monotonicMs();
  const deliveries = new Map<string, Delivery>();
  let isServerDown = false;

  function plan(): Planned[] {
    const planned: Planned[] = [];
    for (const [user, each] of composed) {
      const admission = each.ok ? gate.admit(each.domain, settings.batchMs) : { kind: 'admitted' as const, waitMs: 0 };
      if (admission.kind === 'admitted') planned.push({ user, composed: each, waitMs: admission.waitMs });
      else deliveries.set(user, held(`domain-${admission.kind}`, 'mails to the domain wait'));
    }
    // Sorted by waiting time, so that mails that wait for their domain's rate do not delay other mails.
    return planned.toSorted((a, b) => a.waitMs - b.waitMs);
  }

  async function sendGroup(group: readonly Planned[]): Promise<void> {
    const waitMs = Math.max(...group.map((each) => each.waitMs)) - (clock.monotonicMs() - beganMs);
    if (waitMs > 0) await clock.sleep(waitMs);
    const isLate = clock.monotonicMs() - beganMs > settings.batchMs;
    if (isLate || isServerDown) {
      const why = isServerDown ? held('smtp-unavailable', 'no connection') : held('not-begun', 'no time was left');
      for (const { user } of group) deliveries.set(user, why);
      return;
    }
    const terms = {
      leaseMs: settings.smtp.timeoutMs + storingMs,
      keepSeconds: settings.keepSeconds,
      isRepeatable: settings.isSentAgain,
    };
    const users = group.map(({ user }) => user);
    const claim = await results.claim(scope, users, terms);
    const found = new Map<string, Delivery>();
    await Promise.all(
      group.map(async ({ user, composed: each }) => {
        const isOpen = claim.users.get(user);
        if (isOpen === undefined) {
          deliveries.set(user, { kind: 'busy' });
          return;
        }
        const delivery = each.ok ? await send(each) : failed(each.code, each.message);
        // An earlier mail to the user may have been accepted. So unless this mail is accepted, the outcome is unknown.
        found.set(user, isOpen && !isAccepted(delivery) ? { kind: 'lost' } : delivery);
      }),
    );
    isServerDown = found.size > 0 && [...found.values()].every((each) => each.kind === 'held');
    await store(claim, found);
    for (const [user, delivery] of found) deliveries.set(user, delivery);
  }

  async function store(claim: ResultClaim, found: ReadonlyMap<string, Delivery>): Promise<void> {
    const stored = new Map<string, FinalResult | { state: 'unknown' }>();
    for (const [user, delivery] of found) {
      if (delivery.kind === 'final') stored.set(user, delivery.result);
      if (delivery.kind === 'lost') stored.set(user, { state: 'unknown' });
    }
    const released = [...found.keys()].filter((user) => !stored.has(user));
    if (stored.size > 0) await results.finish(claim, stored);
    if (released.length > 0) await results.release(claim, released);
  }

  async function send({ mail, domain }: Extract<Composed, { ok: true }>): Promise<Delivery> {
    const outcome = await sender.send(mail);
    const refusal = isRefusedByDomain(outcome);
    if (refusal !== undefined) gate.report(domain, refusal);
    return deliveryOf(outcome);
  }

  const { maxConnections } = settings.smtp;
  const lanes = Math.min(maxLanes, maxConnections);
  const limit = pLimit(lanes);
  // Rounded down, so that no more mails are claimed than there are connections. This limits the number of mails with an
  // unknown outcome after a kill.
  const size = Math.floor(maxConnections / lanes);
  await Promise.all(groupsOf(plan(), size).map((group) => limit(() => sendGroup(group))));
  return deliveries;
}

/** Splits the mails into groups whose mails are sent at the same time. */
function groupsOf(planned: readonly Planned[], size: number): Planned[][] {
  const groups: Planned[][] = [];
  for (const each of planned) {
    const last = groups.at(-1);
    const firstMs = last?.[0]?.waitMs ?? 0;
    if (last && last.length < size && each.waitMs - firstMs <= together) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

function isAccepted(delivery: Delivery): boolean {
  return delivery.kind === 'final' && delivery.result.state === 'succeeded';
}

/**
 * Returns true if the domain refused the sender, false if it accepted the mail; undefined if the outcome proves
 * neither.
 */
function isRefusedByDomain(outcome: SendOutcome): boolean | undefined {
  if (outcome.kind === 'accepted') return false;
  if (outcome.kind === 'deferred') return true;
  // A policy status (5.7.x) is about the sender; any other permanent refusal concerns one mailbox.
  return outcome.kind === 'refused' && statusIn(outcome.response)?.startsWith('5.7.') === true ? true : undefined;
}

function deliveryOf(outcome: SendOutcome): Delivery {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'final', result: { state: 'succeeded' } };
    case 'deferred':
      return { kind: 'deferred', code: `smtp-${outcome.status}`, message: outcome.response };
    case 'refused': {
      const isBadMailbox = isOfMailbox(statusIn(outcome.response) ?? '');
      return { ...failed(`smtp-${outcome.status}`, outcome.response), ...(isBadMailbox && { isBadMailbox }) };
    }
    case 'not-sent':
      return held('smtp-unavailable', outcome.cause);
    case 'lost':
      return { kind: 'lost' };
  }
}

function failed(code: string, message: string): Delivery & { kind: 'final' } {
  return { kind: 'final', result: { state: 'failed', code }, message };
}

function held(code: string, message: string): Delivery & { kind: 'held' } {
  return { kind: 'held', code, message };
}
