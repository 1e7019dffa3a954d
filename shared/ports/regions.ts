/** Where a region stands, for those who work in it. */
export interface RegionState {
  name: string;
  /** Moves with every switch. What is claimed under an older one is refused. */
  epoch: number;
  /** False: an operator has switched it off, and nothing is offered or claimed there. */
  active: boolean;
}

export interface Regions {
  /** The region as it is now; one that is not known yet is added. */
  enter(name: string): Promise<RegionState>;
}
