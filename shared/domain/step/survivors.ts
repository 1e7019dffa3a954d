interface Ended {
  rest: string | null;
  restUsers: number;
}

/** Returns whether the chain continues after a step: a user succeeded in it. */
export function hasSurvivors({ rest, restUsers }: Ended): boolean {
  return rest === 'succeeded' && restUsers > 0;
}
