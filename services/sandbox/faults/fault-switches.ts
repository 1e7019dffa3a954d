import { batchCall, type StatusQuery } from '../../../shared/contracts/endpoints/batch-actions.ts';
import { firstChildBatchNo } from '../../../shared/domain/step/batch.ts';
import { fractionOf, topicOf, type ServiceName } from '../wire/chance.ts';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { CallRule, FaultRules, ReceiptRule, SegmentationRule, StatusRule } from './fault-rules.ts';

export interface PageRequest {
  segment: string;
  country: string;
  of: 'descriptions' | 'pages';
  isFirst: boolean;
}

export interface ReceiptFor {
  run: string;
  step: number;
  country: string;
  user: string;
}

/** Active faults, consulted once for each call and page. They are replaced as a whole, even during calls. */
export interface FaultSwitches {
  replace(rules: FaultRules): void;
  /**
   * Returns the rule that applies to a call, and counts a hit.
   * @param overlapping number of other calls with the same key in flight
   */
  ruleForCall(service: ServiceName, request: BatchRequest, overlapping: number): CallRule | undefined;
  ruleForStatus(service: ServiceName, query: StatusQuery): StatusRule | undefined;
  ruleForPage(request: PageRequest): SegmentationRule | undefined;
  ruleForReceipt(receipt: ReceiptFor): ReceiptRule | undefined;
  /** Returns the rules and the number of hits of each since it was set. */
  status(): { rules: FaultRules; hits: Record<string, number> };
}

interface Counted<Rule> {
  rule: Rule;
  matches: number;
  hits: number;
}

export function createFaultSwitches(initial: FaultRules): FaultSwitches {
  let rules = initial;
  let calls: Counted<CallRule>[] = [];
  let queries: Counted<StatusRule>[] = [];
  let pages: Counted<SegmentationRule>[] = [];
  let receipts: Counted<ReceiptRule>[] = [];

  function replace(next: FaultRules): void {
    rules = next;
    calls = next.calls.map((rule) => ({ rule, matches: 0, hits: 0 }));
    queries = next.status.map((rule) => ({ rule, matches: 0, hits: 0 }));
    pages = next.segmentation.map((rule) => ({ rule, matches: 0, hits: 0 }));
    receipts = next.receipts.map((rule) => ({ rule, matches: 0, hits: 0 }));
  }
  replace(initial);

  return {
    replace,
    ruleForCall: (service, request, overlapping) =>
      calls.find(
        (counted) => meetsCall(counted.rule, service, request, overlapping) && takesTurn(counted, rollOf(request)),
      )?.rule,
    ruleForStatus: (service, query) =>
      queries.find((counted) => meetsQuery(counted.rule, service, query) && takesTurn(counted, query.run))?.rule,
    ruleForPage: (request) =>
      pages.find((counted) => meetsPage(counted.rule, request) && takesTurn(counted, request.segment))?.rule,
    ruleForReceipt: (receipt) =>
      receipts.find((counted) => meetsReceipt(counted.rule, receipt) && takesTurn(counted, receipt.user))?.rule,
    status: () => ({
      rules,
      hits: Object.fromEntries(
        [...calls, ...queries, ...pages, ...receipts].map(({ rule, hits }) => [rule.name, hits]),
      ),
    }),
  };
}

function rollOf({ key, attempt }: BatchRequest): string {
  return `${attempt}/${key}`;
}

function meetsCall(rule: CallRule, service: ServiceName, request: BatchRequest, overlapping: number): boolean {
  const { call, attempt } = request;
  return (
    allows(rule.services, service) &&
    allows(rule.countries, call.country) &&
    allows(rule.campaigns, call.campaign) &&
    allows(rule.runs, call.run) &&
    allows(rule.steps, call.step) &&
    attempt >= (rule.fromAttempt ?? 1) &&
    attempt <= (rule.toAttempt ?? Infinity) &&
    holds(call.action.params, rule.params) &&
    (rule.users === undefined || rule.users.some((user) => call.users.includes(user))) &&
    call.users.length > (rule.moreUsersThan ?? 0) &&
    (rule.firstTries === undefined || call.batch < firstChildBatchNo) &&
    (rule.oddIds === undefined || call.users.some((user) => !/^[A-Za-z0-9-]+$/.test(user))) &&
    (rule.unknownFields === undefined || hasUnknownFields(request)) &&
    (rule.overlapping === undefined || overlapping > 0)
  );
}

function hasUnknownFields({ body }: BatchRequest): boolean {
  const sent: unknown = JSON.parse(body.toString('utf8'));
  return Object.keys(sent ?? {}).some((name) => !(name in batchCall.shape));
}

function meetsQuery(rule: StatusRule, service: ServiceName, { run, users }: StatusQuery): boolean {
  return (
    allows(rule.services, service) &&
    allows(rule.runs, run) &&
    (rule.users === undefined || rule.users.some((user) => users.includes(user)))
  );
}

function meetsReceipt(rule: ReceiptRule, { run, step, country, user }: ReceiptFor): boolean {
  return (
    allows(rule.runs, run) && allows(rule.steps, step) && allows(rule.countries, country) && allows(rule.users, user)
  );
}

function meetsPage(rule: SegmentationRule, { segment, country, of, isFirst }: PageRequest): boolean {
  return (
    allows(rule.segments, segment) &&
    allows(rule.countries, country) &&
    (rule.of === undefined || rule.of === of) &&
    !(rule.notFirst === true && isFirst)
  );
}

function allows<T>(wanted: readonly T[] | undefined, value: T): boolean {
  return wanted === undefined || wanted.includes(value);
}

function holds(params: Record<string, unknown>, wanted: Record<string, unknown> | undefined): boolean {
  return Object.entries(wanted ?? {}).every(([name, value]) => JSON.stringify(params[name]) === JSON.stringify(value));
}

/** Counts a match, and returns whether the rule applies to it. */
function takesTurn(counted: Counted<CallRule | StatusRule | SegmentationRule | ReceiptRule>, roll: string): boolean {
  const { after = 0, every = 1, share = 1, times = Infinity, name } = counted.rule;
  counted.matches++;
  if (counted.matches <= after || (counted.matches - after) % every !== 0 || counted.hits >= times) return false;
  if (share < 1 && fractionOf(topicOf(`rule/${name}/`), roll) >= share) return false;
  counted.hits++;
  return true;
}
