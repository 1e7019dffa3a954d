/** A campaign's budget in a country and its use by the campaign's runs. All figures are of one moment. */
export interface BudgetFigures {
  country: string;
  /** Total units. Null if the budget is monetary; `used` and `reserved` are then null too. */
  units: number | null;
  /** Units for users that succeeded or whose outcome is unknown. */
  used: number | null;
  /** Units for users whose call may be in progress or may have been applied. */
  reserved: number | null;
  /** Decimal strings; null unless the budget is monetary. */
  money: { currency: string; amount: string; used: string; reserved: string; left: string } | null;
  /** Batches that wait because too little of the budget was left for their call. */
  waitingBatches: number;
}

export interface BudgetStore {
  /** Returns budgets in alphabetical order of country; empty if the campaign has none. */
  list(campaignId: string): Promise<BudgetFigures[]>;
}
