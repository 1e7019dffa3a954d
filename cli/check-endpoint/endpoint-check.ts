import type { ContractClass } from '../../shared/domain/step/consequences.ts';
import type { EndpointPlayer, EndpointTerms } from './endpoint-player.ts';

/** One thing that the endpoint has to keep. */
export interface EndpointCheck {
  /** For programs, and for looking it up in docs/contracts.md. */
  name: string;
  /** What is played. */
  title: string;
  /** Classes that promise it. */
  classes: readonly ContractClass[];
  /** Others have nothing of it. */
  isFor?: (terms: EndpointTerms) => boolean;
  /** Returns what is broken, in words; nothing where it is kept. */
  play: (player: EndpointPlayer) => Promise<Findings>;
}

export interface Findings {
  problems: readonly string[];
  /** Not broken, and worth knowing. */
  notes?: readonly string[];
}

export const everyClass: readonly ContractClass[] = ['A', 'B', 'C', 'D'];

export function kept(notes: readonly string[] = []): Findings {
  return { problems: [], notes };
}

export function broken(...problems: readonly string[]): Findings {
  return { problems };
}
