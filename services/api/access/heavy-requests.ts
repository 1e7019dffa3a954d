import { heavyKinds, heavySlotsOfAccount, heavySlotsOfProcess, type HeavyKind } from '../../../shared/domain/quotas.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { HttpProblem } from '../frame/http-problem.ts';

/** Limits the number of heavy requests that a process carries out at the same time, by kind and by account. */
export interface HeavyRequests {
  /**
   * Reserves a slot. Exports and uploads may take minutes, so they are refused at once if no slot is free. Reports and
   * previews are short, so they first wait for a slot.
   * @param account account of the key; requests with other keys of the account count too
   * @returns a function that releases the slot
   * @throws {HttpProblem} 429 with the limit that was reached
   */
  begin(kind: HeavyKind, account: string): Promise<() => void>;
  countUnderWay(kind: HeavyKind, account: string): number;
}

/** By kind, the maximum time in milliseconds that a request waits for a slot. */
const waitMsOf: Readonly<Record<HeavyKind, number>> = { exports: 0, uploads: 0, reports: 5_000, previews: 5_000 };

/** Maximum number of requests of one account that wait for slots of one kind. */
const maxWaitingOfAccount = 20;

const retryAfterSecondsOf: Readonly<Record<HeavyKind, number>> = { exports: 5, uploads: 5, reports: 1, previews: 1 };

export function createHeavyRequests({ clock }: { clock: Clock }): HeavyRequests {
  const lanes = new Map(heavyKinds.map((kind) => [kind, createSlotQueue()]));

  function laneOf(kind: HeavyKind): Lane {
    const lane = lanes.get(kind);
    if (!lane) throw new TypeError(`${kind} are no heavy requests`);
    return lane;
  }

  return {
    countUnderWay: (kind, account) => laneOf(kind).underWayOf(account),
    begin: async (kind, account) => {
      const lane = laneOf(kind);
      if (lane.tryBegin(account)) return () => lane.end(account);
      const waitMs = waitMsOf[kind];
      const waiting = waitMs > 0 ? lane.wait(account) : undefined;
      if (!waiting) throw tooMany(kind, lane.underWayOf(account));
      const isOver = new AbortController();
      const isBegun = await Promise.race([waiting.begun, clock.sleep(waitMs, isOver.signal).then(waiting.giveUp)]);
      isOver.abort();
      if (!isBegun) throw tooMany(kind, lane.underWayOf(account));
      return () => lane.end(account);
    },
  };
}

type Lane = ReturnType<typeof createSlotQueue>;

/** Slots of one kind of request, and the queue of requests that wait for them, in order of arrival. */
function createSlotQueue() {
  const accounts = new Map<string, number>();
  const line: { account: string; begin: () => void }[] = [];
  let underWay = 0;

  const countUnderWay = (account: string) => accounts.get(account) ?? 0;

  function tryBegin(account: string): boolean {
    if (underWay >= heavySlotsOfProcess || countUnderWay(account) >= heavySlotsOfAccount) return false;
    underWay++;
    accounts.set(account, countUnderWay(account) + 1);
    return true;
  }

  function end(account: string): void {
    underWay--;
    const left = countUnderWay(account) - 1;
    if (left === 0) accounts.delete(account);
    else accounts.set(account, left);
    // The first request whose account may have a slot comes next, so that accounts do not wait for each other.
    const place = line.findIndex((waiting) => tryBegin(waiting.account));
    if (place >= 0) line.splice(place, 1)[0]?.begin();
  }

  /** Adds a request to the queue. Returns undefined if too many requests of the account are already waiting. */
  function wait(account: string) {
    if (line.filter((waiting) => waiting.account === account).length >= maxWaitingOfAccount) return undefined;
    const { promise: begun, resolve } = Promise.withResolvers<boolean>();
    const waiting = { account, begin: () => resolve(true) };
    line.push(waiting);
    /** Stops waiting. Returns true if the request had already got a slot. */
    const giveUp = (): boolean => {
      const place = line.indexOf(waiting);
      if (place >= 0) line.splice(place, 1);
      return place < 0;
    };
    return { begun, giveUp };
  }

  return { underWayOf: countUnderWay, tryBegin, end, wait };
}

function tooMany(kind: HeavyKind, ofAccount: number): HttpProblem {
  const isAccount = ofAccount >= heavySlotsOfAccount;
  const whose = isAccount
    ? `the keys of this account have ${ofAccount} ${kind} under way in this process, which is the limit for an account`
    : `${heavySlotsOfProcess} ${kind} are under way in this process, which is its limit`;
  return new HttpProblem({
    status: 429,
    code: `too-many-${kind}`,
    detail: `${whose}; try again after Retry-After; GET /v1/quotas shows the limit`,
    headers: { 'retry-after': String(retryAfterSecondsOf[kind]) },
  });
}
