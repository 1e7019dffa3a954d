/** What is known of a step that ended: the outcome of its users without one of their own, and how many they are. */
interface Ended {
  rest: string | null;
  restUsers: number;
}

/** Whether the chain goes on behind a step: a user succeeded in it. */
export function hasSurvivors({ rest, restUsers }: Ended): boolean {
  return rest === 'succeeded' && restUsers > 0;
}
