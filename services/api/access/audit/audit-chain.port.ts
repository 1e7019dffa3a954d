/** Where an entry stands in the audit log: its number and the hash over it and all before it, in hexadecimal. */
export interface ChainPlace {
  number: number;
  hash: string;
}

export interface ChainLink extends ChainPlace {
  /** What was hashed behind the hash before it. */
  said: string;
}

/** Some entries in a row, as of one moment. */
export interface ChainPart {
  /** The last that is not kept any more. */
  cut: ChainPlace;
  /** The last that was added. */
  head: ChainPlace;
  /** There are entries that should be gone. */
  hasBeforeCut: boolean;
  /** The one they stand behind; null where it was not asked for, or is not there. */
  previous: ChainPlace | null;
  links: readonly ChainLink[];
}
