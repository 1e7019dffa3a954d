/** The removal of a protection inside a service, which no wrapper of a port can remove. */
export interface Mutation {
  takesAway: string;
  /** Each text must occur exactly once in the sources of the product, because the text identifies the file. */
  edits: readonly { text: string; replacement: string }[];
  /** Project of the tests that notice. */
  project: 'unit' | 'integration';
  /** Parts of the paths of test files, of which at least one has to fail. */
  noticedBy: readonly string[];
}
