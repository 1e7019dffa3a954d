import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { createRateLimit, type RateLimit, type RatePerSecond } from './rate-limit.ts';
import { createSlotGroup, type SlotGroup } from './slot-group.ts';
import { createActionPool, type SlotPool } from './slot-pool.ts';

export interface SlotGroupsDeps {
  /** Shards by topic. This map changes in place. */
  shards: ReadonlyMap<string, Shard>;
  /** Configuration by action type. This object changes in place. */
  actionTypes: Readonly<Record<string, ActionTypeConfig>>;
  /** Maximum number of calls in flight over all action types, without the reserve for feeds with few calls. */
  concurrency: number;
  monotonicMs: () => number;
  /** Random number in [0, 1). */
  random: () => number;
}

export interface SlotGroups {
  /**
   * Groups by topic, with their learned state. The group of a shard that is no longer served is kept, because its calls
   * may be in flight.
   */
  readonly all: ReadonlyMap<string, SlotGroup>;
  /**
   * Returns the group of a shard.
   * @throws Error if this worker has never served the shard
   */
  of(topic: string): SlotGroup;
  /**
   * Returns true if the shard's rate allows one more call, in addition to the call that has begun. If so, takes the
   * tokens for it.
   */
  takeRate(topic: string, users: number): boolean;
  /**
   * Applies the current shards and action types.
   * @throws Error if the action type of a shard is not configured
   */
  reshape(): void;
}

interface ActionSlots {
  readonly pool: SlotPool;
  rate: RateLimit | null;
  ratePerSecond: RatePerSecond | undefined;
}

export function createSlotGroups(deps: SlotGroupsDeps): SlotGroups {
  const { shards, actionTypes, concurrency, monotonicMs, random } = deps;
  const actions = new Map<string, ActionSlots>();
  const groups = new Map<string, SlotGroup>();

  function createAction({ ratePerSecond }: ActionTypeConfig, capacity: number): ActionSlots {
    const rate = createRateLimit(ratePerSecond, monotonicMs());
    return { pool: createActionPool(capacity), rate, ratePerSecond };
  }

  function changeAction(action: ActionSlots, { ratePerSecond }: ActionTypeConfig, capacity: number): void {
    action.pool.resize(capacity);
    if (isSameRate(action.ratePerSecond, ratePerSecond)) return;
    action.ratePerSecond = ratePerSecond;
    // A share of the old rate does not apply to the new one, so the worker must request a new share.
    action.rate = createRateLimit(ratePerSecond, monotonicMs());
  }

  function addGroup(topic: string, shard: Shard): void {
    const type = actionTypes[shard.actionType];
    if (!type) throw new Error(`action type ${shard.actionType} is not configured`);
    const capacity = Math.min(type.concurrency, concurrency);
    const action = actions.get(shard.actionType) ?? createAction(type, capacity);
    actions.set(shard.actionType, action);
    const { minConcurrency } = type;
    const { pool, rate } = action;
    groups.set(topic, createSlotGroup({ topic, shard, pool, minConcurrency, rate, random }));
  }

  function reshape(): void {
    for (const [actionType, action] of actions) {
      const type = actionTypes[actionType];
      if (type) changeAction(action, type, Math.min(type.concurrency, concurrency));
    }
    for (const group of groups.values()) {
      const type = actionTypes[group.shard.actionType];
      const action = actions.get(group.shard.actionType);
      if (type && action) changeGroup(group, type, action);
    }
    for (const [topic, shard] of shards) if (!groups.has(topic)) addGroup(topic, shard);
  }

  function of(topic: string): SlotGroup {
    const group = groups.get(topic);
    if (!group) throw new Error(`no call slots for ${topic}`);
    return group;
  }

  reshape();
  return {
    all: groups,
    of,
    takeRate: (topic, users) => {
      const { rate } = of(topic);
      const nowMs = monotonicMs();
      if (rate && rate.waitMs(users, nowMs) > 0) return false;
      rate?.take(users, nowMs);
      return true;
    },
    reshape,
  };
}

function changeGroup(group: SlotGroup, type: ActionTypeConfig, { pool, rate }: ActionSlots): void {
  group.rate = rate;
  group.minConcurrency = type.minConcurrency;
  group.adaptive.resize(type.minConcurrency, pool.capacity);
  for (const { guard } of group.lines.values()) guard.resize(type.minConcurrency, pool.capacity);
}

function isSameRate(one: RatePerSecond | undefined, other: RatePerSecond | undefined): boolean {
  return one?.calls === other?.calls && one?.users === other?.users;
}
