import type { SegmentDescription, SegmentPage, UserPage } from '../contracts/endpoints/segmentation.ts';
import type { PageUsers } from '../domain/ids/page-users.ts';

/**
 * A failed request. `refused`: a retry helps only after a person changed something. `unavailable`: a retry may help.
 */
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

/** A page whose shape is valid. If its users are `PlainUsers`, they are also valid and in strictly ascending order. */
export type ReceivedPage = Omit<UserPage, 'users'> & { users: PageUsers };

/** Users of segments, page by page in ascending byte order. Never throws: failures are answers. */
export interface Segmentation {
  describe(segment: string, country: string, signal: AbortSignal): Promise<SegmentationAnswer<SegmentDescription>>;
  /** Returns a page whose shape is valid. The caller checks that its users are sorted and new. */
  page(request: PageRequest, signal: AbortSignal): Promise<SegmentationAnswer<ReceivedPage>>;
}

export interface SegmentsRequest {
  country?: string | undefined;
  search?: string | undefined;
  after: string | null;
  limit: number;
}

/** List of segments that a segmentation service may offer; `not-found` if it offers none. Never throws. */
export interface SegmentList {
  list(request: SegmentsRequest, signal: AbortSignal): Promise<SegmentationAnswer<SegmentPage>>;
}
