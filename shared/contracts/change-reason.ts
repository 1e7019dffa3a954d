import { wordShape } from './stored-texts.ts';

/** Reason for a request about a run; its events and the audit log keep the reason. */
export const changeReason = wordShape(500).describe('Reason, shown in the history of the run');
