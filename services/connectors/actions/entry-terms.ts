import type { Problems } from '../../../shared/runtime/configuration/configuration-error.ts';
import type { EgressGuard } from '../../../shared/runtime/egress/address-guard.ts';

/** Context for reading an entry of `actions`. */
export interface EntryTerms {
  id: string;
  /** Path of the file and field of the entry, for problem messages. */
  field: string;
  /** Names of the databases that the file defines. */
  databases: readonly string[];
  environment: NodeJS.ProcessEnv;
  guard: EgressGuard;
  problems: Problems;
}
