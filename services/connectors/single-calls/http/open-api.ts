import { createGuardedOrigin, type Egress } from '../../../../shared/http-client/guarded-origin.ts';
import { retryAfterMs } from '../../../../shared/http-client/retry-after.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Api } from '../api.port.ts';
import type { CallActionSettings } from '../call-settings.ts';

const maxAnswerBytes = 4 * 1024 * 1024;

export interface OpenApiDeps {
  egress: Egress;
  clock: Pick<Clock, 'now'>;
}

/** Opens the API of an action. The egress guard checks the address for each connection. */
export function openApi(
  { id, origin, concurrency, timeoutMs, recognizesRepeats }: CallActionSettings,
  { egress, clock }: OpenApiDeps,
): Api & { close(): Promise<void> } {
  const terms = { egress, caller: id, origin, connections: concurrency, timeoutMs, maxAnswerBytes };
  const opened = createGuardedOrigin({ ...terms, isRepeatable: recognizesRepeats });
  return {
    send: async ({ body, ...request }) => {
      const outcome = await opened.send({ ...request, ...(body && { body }) });
      if (outcome.kind !== 'answered') return outcome;
      const waitMs = retryAfterMs(outcome.retryAfter, clock.now());
      return { kind: 'answered', status: outcome.status, retryAfterMs: waitMs, body: outcome.body };
    },
    close: () => opened.close(),
  };
}
