import type { ContractClass } from '../../shared/domain/step/consequences.ts';
import type { EndpointPlayer, EndpointTerms } from './endpoint-player.ts';

/** Check of one guarantee of an endpoint. */
export interface EndpointCheck {
  /** Identifier for programs, documented in docs/contracts.md. */
  name: string;
  title: string;
  classes: readonly ContractClass[];
  /** Returns whether the check applies to the endpoint; default true. */
  isFor?: (terms: EndpointTerms) => boolean;
  /** Returns descriptions of the violations; empty if there are none. */
  play: (player: EndpointPlayer) => Promise<Findings>;
}

export interface Findings {
  problems: readonly string[];
  /** Remarks that are not violations. */
  notes?: readonly string[];
}

export const everyClass: readonly ContractClass[] = ['A', 'B', 'C', 'D'];

export function kept(notes: readonly string[] = []): Findings {
  return { problems: [], notes };
}

export function broken(...problems: readonly string[]): Findings {
  return { problems };
}
