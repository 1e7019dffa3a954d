export interface RegionState {
  name: string;
  /** Increases with every switch. A claim with an older epoch is refused. */
  epoch: number;
  /** False if an operator has switched the region off; no work is offered or claimed there. */
  active: boolean;
}

export interface Regions {
  /** Returns the current state of the region, and adds the region if it is unknown. */
  enter(name: string): Promise<RegionState>;
}
