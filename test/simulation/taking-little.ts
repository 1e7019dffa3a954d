import type { Dispatcher } from '../../services/dispatcher/dispatcher.ts';
import type { createNodeReporter } from '../../services/dispatcher/report-node.ts';

/** Reports a credit of one job for each client. */
export function takingLittle(dispatcher: Dispatcher): Parameters<typeof createNodeReporter>[0]['dispatcher'] {
  return {
    levels: () => dispatcher.levels(),
    get received() {
      return dispatcher.received;
    },
    get handled() {
      return dispatcher.handled;
    },
    calls: () => dispatcher.calls(),
    durations: () => dispatcher.durations(),
    beaten: () => dispatcher.beaten(),
    onWork: (listener) => dispatcher.onWork(listener),
    credit: () => {
      const credit = dispatcher.credit();
      if (credit === null) return null;
      const toClients: Record<string, number> = {};
      for (const [clientId, most] of Object.entries(credit.toClients)) toClients[clientId] = Math.min(1, most);
      return { toAnyClient: 1, toClients };
    },
  };
}
