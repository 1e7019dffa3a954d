import type { KeyObject } from 'node:crypto';
import { signWebhook, webhookHeaders } from '../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { FaultSwitches } from './faults/fault-switches.ts';

export interface ReceiptSettings {
  /** Address to which receipts are sent: `POST /v1/receipts` of the calling installation. */
  url: string;
  key: KeyObject;
  /** Time in milliseconds between the acceptance of a message and its receipt. */
  delayMs: number;
}

export interface AcceptedUsers {
  idempotencyKey: string;
  run: string;
  step: number;
  country: string;
  users: readonly string[];
}

export interface ReceiptSenderDeps extends ReceiptSettings {
  /** Returns why a user cannot be reached; undefined for reachable users. */
  undeliveredFor: (user: string) => string | undefined;
  faults: Pick<FaultSwitches, 'ruleForReceipt'>;
  clock: Clock;
  logger: Logger;
  post?: typeof fetch;
}

/** Sends receipts of accepted users later, as a message provider does. */
export interface ReceiptSender {
  readonly stats: { sent: number; requests: number; repeated: number };
  accepted(accepted: AcceptedUsers): void;
  /** Stops without sending the waiting receipts. */
  close(): Promise<void>;
}

/**
 * A receipt, identified by the idempotency key of its call and the user, so that the receiver can find the call without
 * a search.
 */
interface ReceiptBody {
  key: string;
  user: string;
  status: 'delivered' | 'undelivered';
  code?: string;
  at: string;
}

interface DueReceipt {
  dueMs: number;
  receipt: ReceiptBody;
}

/** Maximum number of receipts in one request, by the contract. */
const maxPerRequest = 1000;
const pollEveryMs = 50;
const againAfterMs = 500;

export function createReceiptSender(deps: ReceiptSenderDeps): ReceiptSender {
  const { url, key, delayMs, undeliveredFor, faults, clock, logger, post = fetch } = deps;
  const stats = { sent: 0, requests: 0, repeated: 0 };
  const stopping = new AbortController();
  let waiting: DueReceipt[] = [];
  let working: Promise<void> | undefined;

  /** Sends receipts until none wait. */
  async function work(): Promise<void> {
    while (waiting.length > 0 && !stopping.signal.aborted) {
      const now = clock.monotonicMs();
      const due = waiting.filter(({ dueMs }) => dueMs <= now).slice(0, maxPerRequest);
      if (due.length === 0) {
        await clock.sleep(pollEveryMs, stopping.signal);
        continue;
      }
      const isTaken = await send(due.map(({ receipt }) => receipt));
      if (!isTaken) {
        stats.repeated++;
        await clock.sleep(againAfterMs, stopping.signal);
        continue;
      }
      const gone = new Set(due);
      waiting = waiting.filter((each) => !gone.has(each));
    }
    working = undefined;
  }

  async function send(receipts: readonly ReceiptBody[]): Promise<boolean> {
    const body = Buffer.from(JSON.stringify({ receipts }));
    const id = `receipts_${stats.requests++}`;
    const timestamp = Math.floor(clock.now().getTime() / 1000);
    const headers = {
      'content-type': 'application/json',
      [webhookHeaders.id]: id,
      [webhookHeaders.timestamp]: String(timestamp),
      [webhookHeaders.signature]: signWebhook(key, id, timestamp, body),
    };
    try {
      const answer = await post(url, { method: 'POST', headers, body, signal: stopping.signal });
      await answer.arrayBuffer();
      if (answer.status !== 202) logger.warn({ status: answer.status }, 'receipts were not taken, sending them again');
      else stats.sent += receipts.length;
      return answer.status === 202;
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn({ err: error }, 'receipts could not be sent, sending them again');
      return false;
    }
  }

  function add(receipt: ReceiptBody, afterMs: number): void {
    waiting.push({ dueMs: clock.monotonicMs() + afterMs, receipt });
  }

  function plan({ idempotencyKey, run, step, country }: AcceptedUsers, user: string): void {
    const code = undeliveredFor(user);
    const at = clock.now();
    const facts = { key: idempotencyKey, user, at: at.toISOString() };
    const receipt: ReceiptBody =
      code === undefined ? { ...facts, status: 'delivered' } : { ...facts, status: 'undelivered', code };
    const fault = faults.ruleForReceipt({ run, step, country, user })?.answer;
    if (fault?.kind === 'never') return;
    add(receipt, fault?.kind === 'late' ? delayMs + fault.byMs : delayMs);
    if (fault?.kind === 'twice') add(receipt, delayMs);
    if (fault?.kind === 'contradictory') {
      // Has an earlier date but is sent later, to expose receivers that rely on the order of arrival.
      const earlier = new Date(at.getTime() - 1).toISOString();
      add({ ...facts, at: earlier, status: code === undefined ? 'undelivered' : 'delivered' }, delayMs + 1);
    }
  }

  return {
    stats,
    accepted: (accepted) => {
      for (const user of accepted.users) plan(accepted, user);
      if (waiting.length > 0) working ??= work();
    },
    close: async () => {
      stopping.abort();
      await working;
    },
  };
}
