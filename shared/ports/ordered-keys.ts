/** An ordering key of a client: jobs with this key are called one at a time. */
export interface OrderedKey {
  clientId: string;
  key: string;
}

/** Makes the next job of each key due if no job of the key is. A sweep advances missed keys seconds later. */
export interface KeyAdvancer {
  /** Advances the keys. Call it after each commit that stored, moved or ended jobs of these keys. Keys may repeat. */
  advance(keys: readonly OrderedKey[]): Promise<void>;
  /** Advances keys that have been waiting for a second, for example after a crash. Returns the number of keys. */
  sweep(): Promise<number>;
}
