import type { PreviewCall, PreviewedMessage } from '../../../../shared/contracts/endpoints/message-previews.ts';
import type { RegisteredActionType } from '../../../../shared/ports/registry.ts';

export interface PreviewRequest {
  type: RegisteredActionType;
  url: URL;
  call: PreviewCall;
}

/**
 * Answer to a request for a preview.
 * - `refused`: the user would receive no message; `cause` is the endpoint's reason.
 * - `unavailable`: the endpoint gave no valid answer; `cause` is a text for people.
 */
export type PreviewAnswer =
  { kind: 'message'; message: PreviewedMessage } | { kind: 'refused' | 'unavailable'; cause: string };

export interface PreviewSource {
  /** Sends one request, bounded in time and size. The promise never rejects. */
  fetch(request: PreviewRequest): Promise<PreviewAnswer>;
}
