/** A campaign's budget in a country, and what its runs have done with it. All of it is of one moment. */
export interface BudgetFigures {
  country: string;
  /** Null, as what is used and reserved, where it is in money. */
  units: number | null;
  /** For users that succeeded, or of which it is unknown. */
  used: number | null;
  /** For users whose call may be under way, or may have been applied. */
  reserved: number | null;
  /** As decimals. */
  money: { currency: string; amount: string; used: string; reserved: string; left: string } | null;
  /** Batches for which too little was left when they were to be called. */
  waitingBatches: number;
}

export interface BudgetStore {
  /** By country, in alphabetical order; empty where the campaign has none. */
  list(campaignId: string): Promise<BudgetFigures[]>;
}
