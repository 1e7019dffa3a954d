import type { ContractClass } from '../../shared/domain/step/consequences.ts';

export interface CheckResult {
  name: string;
  title: string;
  passed: boolean;
  problems: readonly string[];
  notes: readonly string[];
}

export interface Verdict {
  url: string;
  /** Class of a batch endpoint; a segmentation service has none. */
  class: ContractClass | 'segmentation';
  passed: boolean;
  checks: CheckResult[];
  notes: string[];
}
