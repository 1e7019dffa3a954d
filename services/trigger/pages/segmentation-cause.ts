import type { SegmentationFailure } from '../../../shared/ports/segmentation.ts';

/** Returns why a segment cannot be fed or described, for people, with the required action. */
export function segmentationCause(
  { segment, country }: { segment: string; country: string },
  { kind, cause }: Pick<SegmentationFailure, 'kind' | 'cause'>,
): string {
  return `segment "${segment}" in ${country}: the segmentation service ${failures[kind]} (${cause}); ${actions[kind]}`;
}

export function brokenPageCause({ segment, country }: { segment: string; country: string }, fault: string): string {
  return (
    `segment "${segment}" in ${country}: the segmentation service sent a page that breaks its contract (${fault}); ` +
    `no user of the page is fed until the service is corrected`
  );
}

const failures: Record<SegmentationFailure['kind'], string> = {
  'not-found': 'has no such segment',
  gone: 'no longer has the snapshot',
  refused: 'refuses the request',
  unavailable: 'does not answer',
};

const actions: Record<SegmentationFailure['kind'], string> = {
  'not-found': 'restore the segment in the service',
  gone: 'Muster requests a new snapshot',
  refused: "correct the service's address, its credentials or the segment",
  unavailable: 'Muster repeats the request',
};
