/**
 * Place of an entry in the audit log: its number, and the hash over this entry and all entries before it, in
 * hexadecimal.
 */
export interface ChainPlace {
  number: number;
  hash: string;
}

export interface ChainLink extends ChainPlace {
  /** Text of the entry. The hash of the previous entry, followed by this text, is hashed. */
  text: string;
}

/** Consecutive entries that were read in one snapshot of the database. */
export interface ChainPart {
  /** The last entry that was deleted because of its age. */
  cut: ChainPlace;
  /** Last entry that was added. */
  head: ChainPlace;
  /** True if entries up to `cut` still exist although they should have been deleted. */
  hasBeforeCut: boolean;
  /** The entry before the first link. Null if it was not requested, or if it does not exist. */
  previous: ChainPlace | null;
  links: readonly ChainLink[];
}
