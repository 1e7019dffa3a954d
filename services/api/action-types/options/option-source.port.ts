import type { OptionPage } from '../../../../shared/contracts/endpoints/parameter-options.ts';
import type { RegisteredActionType } from '../../../../shared/ports/registry.ts';

export interface OptionsRequest {
  type: RegisteredActionType;
  url: URL;
  country: string | undefined;
  search: string | undefined;
  limit: number;
}

/**
 * Response of an endpoint for options. @property cause text for people, shown after `its options could not be loaded: `
 */
export type OptionsAnswer = { ok: true; page: OptionPage } | { ok: false; cause: string };

export interface OptionSource {
  /** Sends one request, bounded in time and size. The promise never rejects. */
  fetch(request: OptionsRequest): Promise<OptionsAnswer>;
}
