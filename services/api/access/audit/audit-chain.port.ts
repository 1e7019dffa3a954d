/** Place of an entry in the audit log: its number, and the hash over it and all entries before, in hexadecimal. */
export interface ChainPlace {
  number: number;
  hash: string;
}

export interface ChainLink extends ChainPlace {
  /** Text that was hashed after the hash of the previous entry. */
  text: string;
}

/** Consecutive entries, read in one snapshot. */
export interface ChainPart {
  /** Last entry that has been deleted because of its age. */
  cut: ChainPlace;
  /** Last entry that was added. */
  head: ChainPlace;
  /** True if entries up to the cut still exist, although they should be deleted. */
  hasBeforeCut: boolean;
  /** Entry before the first link; null if it was not requested or does not exist. */
  previous: ChainPlace | null;
  links: readonly ChainLink[];
}
