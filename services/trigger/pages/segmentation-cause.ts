import type { SegmentationFailure } from '../../../shared/ports/segmentation.ts';

/** Returns why a segment cannot be fed or described, for people, with the required action. */
export function segmentationCause(
  { segment, country }: { segment: string; country: string },
  { kind, cause }: Pick<SegmentationFailure, 'kind' | 'cause'>,
): string {
  return `segment "${segment}" in ${country}: the segmentation service ${sayings[kind]} (${cause}); ${whatHelps[kind]}`;
}

export function brokenPageCause({ segment, country }: { segment: string; country: string }, fault: string): string {
  return (
    `segment "${segment}" in ${country}: the segmentation service sent a page that breaks its contract (${fault}); ` +
    `nothing of it is fed until the service is mended`
  );
}

const sayings: Record<SegmentationFailure['kind'], string> = {
  'not-found': 'knows no such segment',
  gone: 'has no such snapshot any more',
  refused: 'refuses the question',
  unavailable: 'does not answer',
};

const whatHelps: Record<SegmentationFailure['kind'], string> = {
  'not-found': 'somebody has to bring the segment back',
  gone: 'a fresh snapshot is asked for',
  refused: "somebody has to mend the service's address, credentials or the segment's id",
  unavailable: 'it is asked again by itself',
};
