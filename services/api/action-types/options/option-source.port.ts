import type { OptionPage } from '../../../../shared/contracts/endpoints/parameter-options.ts';
import type { RegisteredActionType } from '../../../../shared/ports/registry.ts';

export interface OptionsAsked {
  type: RegisteredActionType;
  /** Where its schema says that they are. */
  url: URL;
  country: string | undefined;
  search: string | undefined;
  limit: number;
}

/** @property cause for people, to be put behind `its options could not be asked for: ` */
export type OptionsAnswer = { ok: true; page: OptionPage } | { ok: false; cause: string };

/** The teams' lists of what parameters may be. */
export interface OptionSource {
  /** One question, bounded in time and size. Never rejects. */
  ask(asked: OptionsAsked): Promise<OptionsAnswer>;
}
