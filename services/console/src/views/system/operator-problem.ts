/** A problem that an operator has to fix: its title, effects and remedy. */
export interface OperatorProblem {
  key: string;
  title: string;
  text: string;
}
