import { createSecureContext, type SecureContext } from 'node:tls';
import { connectCauses } from '../../../shared/http-client/http-cause.ts';
import type { HttpOrigin, HttpOutcome } from '../../../shared/http-client/http-dispatch.ts';
import { createGuardedOrigin } from '../../../shared/http-client/guarded-origin.ts';
import type { HostNames } from '../../../shared/http-client/host-names.ts';
import { retryAfterMs } from '../../../shared/http-client/retry-after.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { createClientGuard, type RuleList } from '../../../shared/runtime/egress/address-guard.ts';
import {
  keptAnswerBytes,
  type Callback,
  type CallbackAnswer,
  type CallbackEndpoint,
  type CallLimits,
  type ClientTls,
} from '../ports/callback-endpoint.ts';

/**
 * Upper bound on the origins with kept connections, over all clients. The origin whose last call was longest ago is
 * closed first.
 */
const maxOrigins = 2000;

export interface HttpCallbackEndpointDeps {
  clock: Clock;
  names: HostNames;
  /** Upper bound on the bytes of an answer. The endpoint discards the rest. */
  keptBytes?: number;
  /** Egress rules of the installation. A client's rules cannot permit more. */
  installation: RuleList;
  onSentAgain?: (() => void) | undefined;
}

interface KnownOrigin {
  revision: number;
  origin: HttpOrigin;
  inFlight: number;
}

/**
 * Creates the endpoint for HTTP calls. Clients do not share connections, because each connection was opened under the
 * egress rules of one client.
 */
export function createCallbackEndpoint(deps: HttpCallbackEndpointDeps): CallbackEndpoint & { close(): Promise<void> } {
  const { clock, names, installation, keptBytes = keptAnswerBytes, onSentAgain } = deps;
  const origins = new Map<string, KnownOrigin>();

  function open(limits: CallLimits, origin: string): KnownOrigin {
    const { clientId, concurrency, timeoutMs, egress, revision } = limits;
    const opened = createGuardedOrigin({
      egress: { guard: createClientGuard(installation, egress, clientId), names },
      caller: clientId,
      origin,
      connections: concurrency,
      timeoutMs,
      ...(limits.tls?.origins.has(origin) && { secureContext: contextOf(limits.tls) }),
      maxAnswerBytes: keptBytes,
      cutsAnswers: true,
      onSentAgain,
    });
    return { revision, origin: opened, inFlight: 0 };
  }

  function originOf(limits: CallLimits, origin: string): KnownOrigin {
    const key = `${limits.clientId} ${origin}`;
    const before = origins.get(key);
    origins.delete(key);
    if (before && before.revision !== limits.revision) retire(before);
    const found = before?.revision === limits.revision ? before : open(limits, origin);
    origins.set(key, found);
    if (origins.size > maxOrigins) makeRoom();
    return found;
  }

  function makeRoom(): void {
    for (const [key, known] of origins) {
      if (known.inFlight > 0) continue;
      origins.delete(key);
      retire(known);
      return;
    }
  }

  /** Closes the connections to an origin when its calls have ended, or at once if there are no calls. */
  function retire(known: KnownOrigin): void {
    known.revision = -1;
    if (known.inFlight === 0) void known.origin.close();
  }

  async function call({
    limits,
    method,
    origin,
    path,
    headers,
    body,
    timeoutMs,
    notAfterMs,
  }: Callback): Promise<CallbackAnswer> {
    // If this process was suspended, another dispatcher may have sent the same call meanwhile. A late call must not be
    // sent.
    if (clock.monotonicMs() > notAfterMs) return { kind: 'unanswered', cause: 'came too late to be sent' };
    const known = originOf(limits, origin);
    known.inFlight++;
    const outcome = await known.origin.send({
      method,
      path,
      headers,
      repeatUntilMs: notAfterMs,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(body ? { body } : {}),
    });
    known.inFlight--;
    if (known.revision === -1 && known.inFlight === 0) void known.origin.close();
    if (outcome.kind === 'answered') {
      const waitMs = outcome.retryAfter === null ? null : retryAfterMs(outcome.retryAfter, clock.now());
      return { kind: 'answered', status: outcome.status, retryAfterMs: waitMs, body: outcome.body };
    }
    return unanswered(outcome);
  }

  return {
    call,
    close: async () => {
      const open = [...origins.values()];
      origins.clear();
      names.close();
      await Promise.all(open.map(({ origin }) => origin.close()));
    },
  };
}

function contextOf({ certificate: cert, key, ca }: ClientTls): SecureContext {
  return createSecureContext({ cert, key, ...(ca === null ? {} : { ca }) });
}

function unanswered({ kind, cause }: Exclude<HttpOutcome, { kind: 'answered' }>): CallbackAnswer {
  if (kind === 'not-applied' && cause === connectCauses.forbidden) return { kind: 'forbidden', cause };
  if (kind === 'not-applied' && cause === connectCauses.noSuchName) return { kind: 'unresolved', cause, isFinal: true };
  if (kind === 'not-applied' && cause === connectCauses.noLookup) return { kind: 'unresolved', cause, isFinal: false };
  return { kind: 'unanswered', cause };
}
