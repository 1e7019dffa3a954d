import { wordShape } from './stored-texts.ts';

/** Why something is asked of a run, as its events and the audit log keep it. */
export const changeReason = wordShape(500).describe('Why, for whoever looks at the run later');
