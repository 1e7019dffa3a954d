import { feedBornMs } from '../../../shared/domain/ids/born-at.ts';
import { classAtAge, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { Work } from '../work.ts';

/** The class that counts: an endpoint forgets its keys after a while. */
export function classOf({ type, claim }: Work, nowMs: number): ContractClass {
  return classAtAge(type.class, type.keyLifeSeconds, nowMs - feedBornMs(claim.feedId, nowMs));
}
