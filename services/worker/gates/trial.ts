import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Gate for a trial. The endpoint has refused whole batches, so single users are tried first, and other batches of the
 * step wait here.
 */
export const trial: Gate = {
  name: 'trial',
  call: waitForTrial,
  nextStep: ({ context, claim }, { directory }) => directory.standingOf(context.feedId, claim.step + 1).trial !== null,
};

function waitForTrial(work: Work): Ruling<'trial'> {
  if (!work.standing.trial || work.isProbe) return null;
  work.standing.trial.waiting.push(work);
  return 'trial';
}
