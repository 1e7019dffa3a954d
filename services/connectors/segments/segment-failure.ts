import { SourceError } from '../databases/source.port.ts';
import { namedProblems } from './member-rules.ts';
import type { SegmentSettings } from './segment-settings.ts';
import type { SnapshotFailure } from './snapshot-store.port.ts';

/** Rows of a query that break the rules for members. */
export class BrokenRowsError extends Error {
  override readonly name = 'BrokenRowsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** Pause in milliseconds before a query runs again that is too slow, or that fails until a person changes something. */
const afterRefusalMs = 60_000;
const afterFaultMs = 5000;

/**
 * Describes why the segment has no snapshot, as text for people: the field of the file, the value, and the expected
 * value.
 */
export function failureOf(
  segment: Pick<SegmentSettings, 'id' | 'database' | 'query'>,
  error: unknown,
): SnapshotFailure {
  const field = `segments.${segment.id}`;
  if (error instanceof BrokenRowsError) {
    const more = error.problems.length < namedProblems ? '' : '; reading stopped there';
    return refused(`${field}.query returns rows that cannot be members: ${error.message}${more}`);
  }
  if (!(error instanceof SourceError))
    return { cause: `${field} could not be copied: ${messageOf(error)}`, isRefused: false, retryInMs: afterFaultMs };
  switch (error.kind) {
    case 'refused': {
      const hint = /\bq\.(user_id|country)\b|column named "(user_id|country)"/.test(error.message)
        ? '; it has to return user_id and country'
        : '';
      return refused(`${field}.query is refused by the database "${segment.database}": ${error.message}${hint}`);
    }
    case 'timed-out': {
      const seconds = segment.query.timeoutMs / 1000;
      return {
        cause: `${field}.query took longer than its timeoutSeconds (${seconds})`,
        isRefused: false,
        retryInMs: afterRefusalMs,
      };
    }
    case 'unavailable':
      return {
        cause: `${field}.database "${segment.database}" does not answer: ${error.message}`,
        isRefused: false,
        retryInMs: afterFaultMs,
      };
  }
}

function refused(cause: string): SnapshotFailure {
  return { cause, isRefused: true, retryInMs: afterRefusalMs };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
