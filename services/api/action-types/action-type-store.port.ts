import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RegisteredActionType, SecretName } from '../../../shared/ports/registry.ts';

/** What is to be different; what is not named stays. */
export interface ActionTypeChange {
  config?: ActionTypeConfig | undefined;
  enabled?: boolean | undefined;
  /** Encrypted; null takes one away. */
  secrets?: Partial<Record<SecretName, string | null>> | undefined;
}

export type ActionTypeChanged =
  | { kind: 'changed'; type: RegisteredActionType }
  | { kind: 'missing' }
  /** It is not at the expected revision any more: nothing was changed. */
  | { kind: 'outdated'; type: RegisteredActionType };

export type ActionTypeRemoved =
  | { kind: 'removed' }
  | { kind: 'missing' }
  | { kind: 'outdated'; type: RegisteredActionType }
  /** Campaigns have it in their chain: how many, and the names of the newest few. */
  | { kind: 'used'; campaigns: number; names: string[] };

/** Action types as people change them. Every change moves the type's revision and the registry's. */
export interface ActionTypeStore {
  /** By name. */
  list(): Promise<RegisteredActionType[]>;
  get(name: string): Promise<RegisteredActionType | undefined>;
  /** Undefined when there is one of that name. Revisions of a deleted one go on. */
  create(
    name: string,
    type: Required<Pick<ActionTypeChange, 'config' | 'enabled'>> & ActionTypeChange,
  ): Promise<RegisteredActionType | undefined>;
  /** Where nothing differs, nothing moves. @param expected revision; null for whatever it is */
  change(name: string, change: ActionTypeChange, expected: number | null): Promise<ActionTypeChanged>;
  /** Only where no campaign has it in its chain. @param expected revision; null for whatever it is */
  remove(name: string, expected: number | null): Promise<ActionTypeRemoved>;
}
