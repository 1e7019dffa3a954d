import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { createRateLimit, type RateLimit, type RatePerSecond } from './rate-limit.ts';
import { createSlotGroup, type SlotGroup } from './slot-group.ts';
import { createActionPool, type SlotPool } from './slot-pool.ts';

export interface SlotGroupsDeps {
  /** By topic. They change in place. */
  shards: ReadonlyMap<string, Shard>;
  /** These likewise. */
  actionTypes: Readonly<Record<string, ActionTypeConfig>>;
  /** Calls of busy feeds in flight over all action types. */
  concurrency: number;
  monotonicMs: () => number;
  /** In [0, 1). */
  random: () => number;
}

export interface SlotGroups {
  /**
   * By topic. Groups stay, with what they have learned, also those of shards that are not served any more: calls may be
   * under way.
   */
  readonly all: ReadonlyMap<string, SlotGroup>;
  /** @throws Error when no such shard was ever served */
  of(topic: string): SlotGroup;
  /** Whether the shard's rate has room for one more call, beyond the one that was begun; it is then taken. */
  takeRate(topic: string, users: number): boolean;
  /** Follows the shards and types as they are now. @throws Error when a shard's action type is not among them */
  reshape(): void;
}

/** What the shards of one action type have together. */
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
    // A share of the old rate says nothing of the new one: it is asked for anew.
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
