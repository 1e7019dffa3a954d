import type { ActionTypeConfig, EngineConfig } from '../contracts/endpoints/engine-config.ts';
import type { QuietRule } from '../domain/run/quiet-hours.ts';
import type { Shard } from '../domain/endpoint/shard.ts';

/**
 * Secrets of an action type: the whole `Authorization` header, the key that our calls are signed with, and the one of
 * receipts to us.
 */
export const secretNames = ['authorization', 'signing', 'receipts'] as const;

export type SecretName = (typeof secretNames)[number];

/** As it is kept: encrypted. */
export interface SealedSecret {
  sealed: string;
  changedAt: Date;
}

export type SealedSecrets = Partial<Record<SecretName, SealedSecret>>;

export interface RegisteredActionType {
  name: string;
  /** Moves with every change, from 1. */
  revision: number;
  config: ActionTypeConfig;
  /** False: no campaign may begin with it. What runs goes on. */
  enabled: boolean;
  /** Who said last what `config` says. */
  origin: 'file' | 'api';
  secrets: SealedSecrets;
  createdAt: Date;
  updatedAt: Date;
}

/** A shard that came to life: campaigns went through it, or may at once. */
export interface RegisteredShard extends Shard {
  /** As they were asked for. Kafka follows, and may be behind. */
  partitions: number;
  createdAt: Date;
}

/** All of it, as of one moment. */
export interface Registry {
  /** Moves with every change of anything in it. */
  revision: number;
  /** By name, in the order of the names. */
  actionTypes: RegisteredActionType[];
  /** In the order of their names. */
  shards: RegisteredShard[];
  /** The first one that is in force counts. */
  quietHours: readonly QuietRule[];
}

/** What an engine's file brings. */
export type Seed = Pick<EngineConfig, 'actionTypes' | 'countries' | 'partitionsPerShard'>;

/** Action types and shards as every process reads them. */
export interface RegistrySource {
  /** One cheap look: whether anything has changed since. */
  revision(): Promise<number>;
  /** An action type that this version cannot read, because a newer one wrote it, is left out. */
  read(): Promise<Registry>;
}

export interface ShardStore {
  /**
   * Brings to life those that are not there, with so many partitions. Returns them all, in no order; those of action
   * types that are not registered are left out.
   */
  ensure(shards: readonly Shard[], partitions: number): Promise<RegisteredShard[]>;
  /** Never lowers: what has so many partitions or more stays as it is. Undefined where there is no such shard. */
  raise(shard: Shard, partitions: number): Promise<RegisteredShard | undefined>;
}
