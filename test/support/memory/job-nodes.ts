import type { Dispatchers } from '../../../services/scheduler/ports/dispatchers.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';

export function createMemoryJobNodes({ tables: { nodes, clock } }: { tables: CallbackTables }): JobNodes {
  return {
    beat: ({ owner, kind, region, figures, credit }, ttlMs) =>
      atOnce(() => {
        nodes.set(owner, { kind, region, expiresAtMs: clock.nowMs() + ttlMs, figures, credit });
      }),
    leave: (owner) =>
      atOnce(() => {
        nodes.delete(owner);
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
