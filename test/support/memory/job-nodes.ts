import type { Dispatchers } from '../../../services/scheduler/ports/dispatchers.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';

export function createMemoryJobNodes({ tables: { nodes, regions, clock } }: { tables: CallbackTables }): JobNodes {
  return {
    beat: ({ owner, kind, region, figures, credit }, ttlMs) =>
      atOnce(() => {
        const before = nodes.get(owner);
        const aliveSinceMs = before && before.expiresAtMs >= clock.nowMs() ? before.aliveSinceMs : clock.nowMs();
        nodes.set(owner, { kind, region, aliveSinceMs, expiresAtMs: clock.nowMs() + ttlMs, figures, credit });
      }),
    dispatchers: () =>
      atOnce(() =>
        [...nodes]
          .flatMap(([owner, { kind, region, expiresAtMs }]) =>
            kind === 'dispatcher' && expiresAtMs > clock.nowMs() && regions.get(region)?.active ? [owner] : [],
          )
          .sort(),
      ),
    leave: (owner) =>
      atOnce(() => {
        const node = nodes.get(owner);
        if (node) nodes.set(owner, { ...node, expiresAtMs: clock.nowMs() - 1, credit: null });
      }),
  };
}

export function createMemoryDispatchers({ tables: { nodes, clock } }: { tables: CallbackTables }): Dispatchers {
  return {
    credit: (region) =>
      atOnce(() =>
        [...nodes].flatMap(([owner, { kind, region: own, expiresAtMs, credit }]) => {
          if (kind !== 'dispatcher' || own !== region || expiresAtMs <= clock.nowMs() || credit === null) return [];
          return [{ owner, toAnyClient: credit.toAnyClient, toClients: new Map(Object.entries(credit.toClients)) }];
        }),
      ),
  };
}

export function isDead({ nodes, clock }: CallbackTables, owner: string): boolean {
  return (nodes.get(owner)?.expiresAtMs ?? Infinity) < clock.nowMs();
}
