import type { SegmentDescription, SegmentPage, UserPage } from '../contracts/endpoints/segmentation.ts';

/** `refused`: asking again will not help before a person changes something. `unavailable`: it may. */
export interface SegmentationFailure {
  kind: 'not-found' | 'gone' | 'refused' | 'unavailable';
  cause: string;
  retryAfterMs: number | null;
}

export type SegmentationAnswer<Value> = { ok: true; value: Value } | { ok: false; failure: SegmentationFailure };

export interface PageRequest {
  segment: string;
  country: string;
  snapshot: string;
  after: string | null;
  limit: number;
}

/** The users of segments, page by page in ascending byte order. Never throws: what goes wrong is an answer. */
export interface Segmentation {
  describe(segment: string, country: string, signal: AbortSignal): Promise<SegmentationAnswer<SegmentDescription>>;
  /** A page whose shape is right; that it is sorted and new is for the caller to check. */
  page(request: PageRequest, signal: AbortSignal): Promise<SegmentationAnswer<UserPage>>;
}

export interface SegmentsAsked {
  country?: string | undefined;
  /** Part of the name or the id. */
  search?: string | undefined;
  /** `next` of the page before. */
  after: string | null;
  limit: number;
}

/** The list of segments that a service may offer; `not-found` where it offers none. Never throws. */
export interface SegmentList {
  list(asked: SegmentsAsked, signal: AbortSignal): Promise<SegmentationAnswer<SegmentPage>>;
}
