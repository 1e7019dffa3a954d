/** An ordering key of a client: its jobs are called one at a time. */
export interface OrderedKey {
  clientId: string;
  key: string;
}

/** Lets the next jobs of keys be due, where none is. What is left out here, a sweep does seconds later. */
export interface KeyAdvancer {
  /** To be asked whenever jobs of these keys were stored, moved or ended, after the commit. They may repeat. */
  advance(keys: readonly OrderedKey[]): Promise<void>;
  /** Advances what has been waiting to be advanced for a second, as a crash leaves it; how many keys there were. */
  sweep(): Promise<number>;
}
