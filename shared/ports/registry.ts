import type { ActionTypeConfig } from '../contracts/endpoints/action-type-config.ts';
import type { EngineConfig } from '../contracts/endpoints/engine-config.ts';
import type { QuietRule } from '../domain/run/quiet-hours.ts';
import type { Shard } from '../domain/endpoint/shard.ts';

/**
 * Secrets of an action type: its whole `Authorization` header, the key that signs our calls, and the key of receipts.
 */
export const secretNames = ['authorization', 'signing', 'receipts'] as const;

export type SecretName = (typeof secretNames)[number];

export interface SealedSecret {
  sealed: string;
  changedAt: Date;
}

export type SealedSecrets = Partial<Record<SecretName, SealedSecret>>;

export interface RegisteredActionType {
  name: string;
  /** Starts at 1 and increases with every change. */
  revision: number;
  config: ActionTypeConfig;
  /** False if no campaign may start with the action type. Runs in progress continue. */
  enabled: boolean;
  origin: 'file' | 'api';
  secrets: SealedSecrets;
  createdAt: Date;
  updatedAt: Date;
}

/** A shard that is in use: campaigns went through it, or may at any time. */
export interface RegisteredShard extends Shard {
  /** Requested number of partitions. Kafka may lag behind. */
  partitions: number;
  createdAt: Date;
}

export interface Registry {
  /** Increases with every change of anything in the registry. */
  revision: number;
  /** Action types, sorted by name. */
  actionTypes: RegisteredActionType[];
  /** Shards, sorted by name. */
  shards: RegisteredShard[];
  /** Rules of quiet hours. The first rule that is in force applies. */
  quietHours: readonly QuietRule[];
}

/** Initial content of the registry, from an engine's configuration file. */
export type Seed = Pick<EngineConfig, 'actionTypes' | 'countries' | 'partitionsPerShard'>;

export interface RegistrySource {
  /** Returns the revision of the registry with one cheap query, so that callers notice changes. */
  revision(): Promise<number>;
  /** Returns the registry. An action type that a newer version wrote, and this version cannot read, is omitted. */
  read(): Promise<Registry>;
}

export interface ShardStore {
  /**
   * Creates missing shards with this number of partitions. Returns all of the shards in no order, without those whose
   * action types are not registered.
   */
  ensure(shards: readonly Shard[], partitions: number): Promise<RegisteredShard[]>;
  /**
   * Raises the number of partitions and never lowers it: a shard that has as many or more stays unchanged. Returns
   * undefined if there is no such shard.
   */
  raise(shard: Shard, partitions: number): Promise<RegisteredShard | undefined>;
}
