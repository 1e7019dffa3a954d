import type { SecureContext } from 'node:tls';
import type { EgressGuard } from '../runtime/egress/address-guard.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { HostNames } from './host-names.ts';
import { createHttpOrigin, type HttpOrigin, type HttpOriginOptions } from './http-dispatch.ts';

/** Longest look-up in milliseconds, well before its call's deadline: the look-up must fail, not the call. */
const maxLookupMs = 3000;

/** Rules and name look-up for every call of a service. */
export interface Egress {
  guard: Pick<EgressGuard, 'mayConnect'>;
  names: HostNames;
}

export interface GuardedOriginOptions extends Omit<HttpOriginOptions, 'connect'> {
  egress: Egress;
  secureContext?: SecureContext | undefined;
  /** Name whose look-ups are limited separately from those of other callers. */
  caller: string;
}

/** Creates an origin whose address is checked at each connection. */
export function createGuardedOrigin({ egress, caller, secureContext, ...options }: GuardedOriginOptions): HttpOrigin {
  const { guard, names } = egress;
  const { timeoutMs } = options;
  const withinMs = Math.min(maxLookupMs, timeoutMs / 2);
  const connect = guardedConnector({
    guard,
    secureContext,
    timeoutMs: Math.min(timeoutMs, 10_000),
    resolve: (hostname) => names.addressesOf({ caller, hostname, withinMs }),
  });
  return createHttpOrigin({ ...options, connect });
}
