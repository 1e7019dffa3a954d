/** Budget of a campaign in a country, and its use by the runs of the campaign. All numbers are from the same moment. */
export interface BudgetFigures {
  country: string;
  /** Total number of units; null if the budget is in money. `used` and `reserved` are then null, too. */
  units: number | null;
  /** Units of users who succeeded or whose outcome is unknown. */
  used: number | null;
  /** Units of users whose call may be in progress or may have had an effect. */
  reserved: number | null;
  /** Amounts as decimal strings; null unless the budget is in money. */
  money: { currency: string; amount: string; used: string; reserved: string; left: string } | null;
  /** Number of batches that wait because the rest of the budget is too small for their call. */
  waitingBatches: number;
}

export interface BudgetStore {
  /** Returns the budgets, in alphabetical order of countries; empty if the campaign has none. */
  list(campaignId: string): Promise<BudgetFigures[]>;
}
