/** Kinds of random change. Authors make each of them by mistake, too. */
export type MutantKind =
  'condition' | 'comparison' | 'equality' | 'logic' | 'await' | 'branch' | 'constant' | 'rounding';

/** A change of one place in one source file. */
export interface Mutant {
  file: string;
  line: number;
  kind: MutantKind;
  /** Offsets in the file's text. */
  start: number;
  end: number;
  before: string;
  after: string;
}

/** Returns the file's text with the change in it. */
export function applyMutant(source: string, { start, end, after }: Mutant): string {
  return source.slice(0, start) + after + source.slice(end);
}

/** Returns the service that a file belongs to, or `shared/domain`. */
export function roomOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}
