/** A protection inside a service, taken away: what no wrapper of a port can reach. */
export interface Mutation {
  takesAway: string;
  /**
   * Each text has to stand exactly once in the sources of the product: that is how its file is found, wherever it is
   * moved to.
   */
  edits: readonly { text: string; replacement: string }[];
  /** Project of the tests that notice. */
  project: 'unit' | 'integration';
  /** Parts of the paths of test files, of which at least one has to fail. */
  noticedBy: readonly string[];
}
